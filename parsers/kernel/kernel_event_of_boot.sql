-- table: One row per kernel_event with the boot of the machine that it is of, named by the time it
-- began, or by its place in the file where times are not known: what happened in one boot has
-- nothing to do with the disk or the task of another. What is told of the machine in words that no
-- grammar knows is among them (disk_told).
with
    event as (
        from kernel_event
        union all by name
        select
            * exclude (driver, gpu, victim_pid, requested_bytes) replace (
                case
                    kind
                    when 'memory_module'
                    then 'memory_ue'
                    when 'kernel'
                    then 'panic'
                    else 'disk_told'
                end as kind
            )
        from told_failure
        where kind in ('memory_module', 'disk', 'kernel')
    )
select
    e.*,
    coalesce(
        (select max(m.time)::varchar from boot_mark m where m.host = e.host and m.time <= e.time),
        (
            select max(m.file_id || ':' || lpad(m.line_no::varchar, 12, '0'))
            from boot_mark m
            where
                m.file_id = e.file_id
                and m.line_no <= e.line_no
                and m.line_no > 3
                and (m.host = e.host or m.host is null or e.host is null)
                and (m.time is null or m.host is null or e.time is null or e.host is null)
        ),
        ''
    ) as boot
from event e
