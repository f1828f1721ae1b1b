-- table: One row: the watchdogs that say at their end that they take the process down, after an
-- error as after a timeout. It proves nothing beside anything else that went wrong. is_timeout: the
-- stack of a timeout is there too, or the beginning of the line that tells of one, and no more.
with
    last_word as (
        select file_id, line_no, time, host, coalesce(rank, group_rank) as rank, event
        from c10d_event
        where event in ('operations_failed', 'timeout_raised')
        union all by name
        select
            file_id,
            line_no,
            time,
            host,
            coalesce(
                rank, try_cast(regexp_extract(text, '^\[Rank ([0-9]+)\]', 1) as bigint)
            ) as rank,
            'timeout_raised' as event
        from c10d_piece
        where regexp_matches(text, '^\[Rank [0-9]+\] +Watchdog caught collective\b')
    )
select
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
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
                from last_word
            )
    )
    and not exists (from library_error)
    and not exists (from accelerator_event)
    and not exists (
        from metric m join last_word e using (file_id) where m.line_no > e.line_no
    ) as is_alone
from last_word
where not exists (from communication_error) and not exists (from nccl_ofi_error)
having count(*) > 0
