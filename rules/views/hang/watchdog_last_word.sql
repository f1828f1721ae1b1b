-- table: One row: the watchdogs that say at their end that they take the process down, after an
-- error as after a timeout. It proves nothing beside anything else that went wrong. is_timeout: the
-- stack of a timeout stands there too.
select
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence,
    min(time) as "at",
    max(time) as until,
    list_sort(
        list(distinct coalesce(rank, group_rank)) filter (coalesce(rank, group_rank) is not null)
    ) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    bool_or(event = 'timeout_raised') as is_timeout,
    -- nothing else in all that the job says tells of a failure
    not exists (from exception_verdict)
    and not exists (from death)
    and not exists (from scheduler_event)
    and not exists (
        from unread_line u
        where
            u.word in ('fatal', 'error', 'claimed')
            and u.file_id in (
                select file_id
                from job_output
                union
                select file_id
                from c10d_event
            )
    )
    and not exists (from library_error)
    and not exists (from accelerator_event)
    and not exists (
        from metric m
        join c10d_event e using (file_id)
        where e.event in ('operations_failed', 'timeout_raised') and m.line_no > e.line_no
    ) as is_alone
from c10d_event
where
    event in ('operations_failed', 'timeout_raised')
    and not exists (from communication_error)
    and not exists (from nccl_ofi_error)
having count(*) > 0
