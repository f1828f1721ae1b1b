-- table: One row per host that has fewer GPUs than the others of its kind, or than a script
-- expects. Hosts are compared by what nvidia-smi lists on each of them. A half, a quarter or one of
-- all may be what a job was given; a number that is no power of two is what is left of a full host.
-- Or torch finds none on a host, and does on others.
with
    listed as (
        select
            coalesce(s.host, f.host) as host,
            s.file_id,
            count(distinct s.gpu_uuid) as gpus,
            min(s.line_no) as first_line,
            max(s.line_no) as last_line
        from smi_gpu as s
        join file as f using (file_id)
        where s.gpu_uuid is not null
        group by all
        having
            coalesce(count(distinct s.gpu_index) = max(s.gpu_index) + 1, true)
            -- a list that ends within a line is not whole
            and not (bool_or(f.unended) and max(s.line_no) < max(f.lines))
        union all
        select coalesce(c.host, f.host), c.file_id, c.gpus, c.line_no, c.line_no
        from gpu_count as c
        join file as f using (file_id)
        where c.expected is null
    ),
    counted as (
        select
            host,
            min(gpus) as gpus,
            arg_min(file_id, gpus) as file_id,
            arg_min(first_line, gpus) as first_line,
            arg_min(last_line, gpus) as last_line
        from listed
        where host is not null
        group by host
    ),
    usual as (
        select
            max(gpus) as gpus, arg_max(line_at(file_id, last_line), gpus) as line, count(*) as hosts
        from counted
        having count(*) >= 2 and max(gpus) >= 4
    )
select
    [line_at(c.file_id, c.last_line), u.line] as evidence,
    [c.host] as hosts,
    'probable' as confidence,
    'critical' as severity,
    'nvidia' as vendor,
    'missing' as kind,
    'bus' as part,
    c.gpus as gpus_present,
    u.gpus as gpus_expected,
    null::timestamp as "at"
from counted as c
cross join usual as u
where c.gpus < u.gpus and c.gpus not in (0, 1, 2, 4, 8, 16)
union all by name
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:10] as evidence,
    [host] as hosts,
    'definite' as confidence,
    'critical' as severity,
    'nvidia' as vendor,
    'missing' as kind,
    'bus' as part,
    min(gpus) as gpus_present,
    max(expected) as gpus_expected,
    min(time) as "at"
from gpu_count
where expected is not null and host is not null
group by host
union all by name
select
    list(line_at(e.file_id, e.line_no) order by e.file_id, e.line_no)[1:10] as evidence,
    [e.host] as hosts,
    'probable' as confidence,
    'critical' as severity,
    'nvidia' as vendor,
    'missing' as kind,
    'bus' as part,
    0 as gpus_present,
    null as gpus_expected,
    min(e.time) as "at"
from fatal_exception as e
where
    contains(e.message, 'No CUDA GPUs are available')
    and e.host is not null
    -- the job's own output from another host, where nobody says so
    and exists (
        from job_output as j
        join file as f using (file_id)
        where
            f.host <> e.host
            and not exists (
                from fatal_exception as o
                where o.host = f.host and contains(o.message, 'No CUDA GPUs are available')
            )
    )
group by e.host
