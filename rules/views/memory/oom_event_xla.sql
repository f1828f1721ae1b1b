-- view: one row per message of XLA on TPU that a buffer or a program found no room, or that the
-- compiler cannot place a program; in the columns of oom_event.
select
    file_id,
    line_no,
    line_no as last_line,
    time,
    host,
    rank,
    local_rank,
    task,
    pid,
    stream,
    'xla' as framework,
    'tpu' as device,
    requested_bytes,
    free_bytes,
    reservable_bytes,
    location,
    program,
    call as kind
from xla_runtime_oom
union all by name
select
    c.file_id,
    c.line_no,
    c.line_no as last_line,
    c.time,
    c.host,
    c.rank,
    c.local_rank,
    c.task,
    c.pid,
    c.stream,
    'xla' as framework,
    'tpu' as device,
    c.used_bytes as requested_bytes,
    c.limit_bytes,
    coalesce(c.shortfall_bytes, greatest(c.used_bytes - c.limit_bytes, 0)) as shortfall_bytes,
    'compile' as kind,
    c.memory_space,
    u.fragmentation_bytes,
    round(u.padded_bytes / u.unpadded_bytes, 2) as padding
from xla_compile_oom c
left join
    lateral(
        select *
        from xla_compile_use u
        where u.file_id = c.file_id and u.line_no between c.line_no and c.line_no + 40
        order by u.line_no
        limit 1
    ) u
    on true
