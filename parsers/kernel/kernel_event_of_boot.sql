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
    ),
    -- what two files of one machine tell counts once
    sided as (
        select
            e.*,
            c.host as host_of_file,
            c.has_all,
            e.host is null and e.file_id = c.file_id as in_file
        from event e
        left join kernel_copy c on true
    ),
    fuller as (select distinct kind, device, message from sided where in_file = has_all),
    once as (
        select
            * exclude (host_of_file, has_all, in_file) replace (
                case when in_file then host_of_file else host end as host
            )
        from sided s
        where
            in_file is null
            or in_file = has_all
            or not exists (
                from fuller f
                where
                    f.kind = s.kind
                    and f.device is not distinct from s.device
                    and f.message is not distinct from s.message
            )
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
from once e
