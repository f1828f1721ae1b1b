-- table: One row per error of the GPU runtime, of all processes that printed it first; where a
-- hardware error is known, faults that may be either's are its echo. is_pinned: the program was
-- pinning pages of the host, which fails through the same call, with the same error.
with
    judged as (
        select *, bool_or(kind = 'hardware') over () as any_hardware from runtime_error_first
    ),
    error as (
        select
            code,
            name,
            kind,
            any_value(api) as api,
            list_sort(list(distinct rank) filter (rank is not null)) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            list_sort(list(distinct pid) filter (pid is not null)) as pids,
            list(distinct local_rank) filter (
                local_rank is not null and rank is null
            ) as local_ranks,
            list(distinct task) filter (task is not null and rank is null) as tasks,
            min(time) as "at",
            max(time) as until,
            count(*) as processes,
            list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
            any_value(text) as text,
            arg_min(file_id, coalesce(epoch(time), line_no)) as file_id,
            arg_min(line_no, coalesce(epoch(time), line_no)) as line_no
        from judged
        where not (any_hardware and kind = 'fault')
        group by code, name, kind
    ),
    pinning_frame as (
        select file_id, line_no
        from exception
        where len(list_filter(frames, lambda f:regexp_matches(f, 'pin_memory|[Hh]ostAlloc'))) > 0
    )
select
    e.*,
    exists (from pinning_frame p where p.file_id = e.file_id and abs(p.line_no - e.line_no) <= 3)
    or exists (
        from pinned_call p where p.file_id = e.file_id and e.line_no - p.line_no between 1 and 3
    ) as is_pinned
from error e
