-- table: One row per line from which on a log tells of an attempt of the job, of its first one from
-- line 1: behind the end of the one before, where its launcher begins again or steps begin anew, or
-- another process was told of. last_line: the last one with a step of it.
with
    stretch as (
        select
            *,
            last_value(last_step ignore nulls) over earlier as step_before,
            sum(launches) over earlier as launches_before
        from step_stretch
        window
            earlier as (
                partition by file_id
                order by ends_before
                rows between unbounded preceding and 1 preceding
            )
    ),
    -- Where one process of many has died, the others print a step or two more, and none again.
    begun_anew as (
        select
            file_id, ending_line + 1 as line_no, case when steps > 0 then last_line end as last_line
        from stretch s
        where
            ends_before > 0
            and file_id not in (select file_id from elastic_end)
            and (
                launches > 0
                and launches_before > 0
                or steps >= 3
                and (
                    step_before is null
                    or first_step < step_before
                    or exists (
                        from training_mark m
                        where
                            m.file_id = s.file_id
                            and m.line_no between s.ending_line and s.first_line
                            and m.kind in ('start', 'fresh_start', 'resume', 'load', 'fit')
                    )
                )
            )
    ),
    -- In the log of one rank, or of a job that has one process only, each exception that nobody
    -- caught ended another process: Paddle's launcher appends to the logs of its workers. Where
    -- nothing names a rank, alike ones may be those of several processes, and are where one is
    -- directly behind the other: a program that is started again says something first. So are those
    -- of different hosts.
    raised as (
        select
            file_id,
            raised_line,
            coalesce(f.rank is not null, false)
            or regexp_matches(f.path, '(^|/)workerlog\.[0-9]+$') as is_of_one_rank,
            regexp_extract(frames[1], '^(.+):[0-9]+ in ', 1) as script,
            -- names of the code are the same for all processes, those of files need not be
            class
            || ' '
            || case
                when class in ('ModuleNotFoundError', 'ImportError', 'NameError')
                then message
                else line_template(message)
            end as alike,
            -- nothing of the program can run
            class in ('SyntaxError', 'IndentationError', 'TabError') as is_unreadable,
            lead(traceback_line) over in_order as next_line,
            lead(script) over in_order as next_script,
            e.host is distinct from lead(e.host) over in_order as is_elsewhere,
            lead(alike) over in_order as next_alike
        from exception_verdict e
        join file f using (file_id)
        where chain_uncaught and kind not in ('echo', 'ignored')
        window in_order as (partition by file_id order by line_no)
    ),
    of_several as (
        select distinct file_id
        from raised
        where alike = next_alike and next_line - raised_line between 1 and 3
    ),
    begun_as_process as (
        select file_id, raised_line + 1 as line_no
        from raised
        where
            is_of_one_rank
            and next_line - raised_line > 3
            or is_unreadable
            and alike <> next_alike
            or (
                script = next_script
                and alike <> next_alike
                and not is_elsewhere
                and file_id not in (select file_id from of_several)
                and not exists (
                    from exception_verdict
                    where kind = 'collective' or rank > 0 or local_rank > 0 or task > 0
                )
                and not exists (from "exit" where rank > 0 or local_rank > 0 or task > 0)
                and not exists (from job_size where world_size > 1 or ranks_heard > 1)
                and not exists (from launcher_event where event = 'launched')
            )
    ),
    begun_by_launcher as (
        select e.file_id, e.line_no + 1 as line_no, max(s.last_line) as last_line
        from elastic_end e
        left join step_stretch s on s.file_id = e.file_id and s.first_line > e.line_no
        where e.attempt < e.last_attempt
        group by e.file_id, e.line_no
    ),
    opening as (
        select
            file_id,
            1 as line_no,
            (
                select max(s.last_line)
                from step_stretch s
                join elastic_log e using (file_id)
                where s.file_id = f.file_id and s.steps >= 3
            ) as last_line
        from file f
        where
            file_id in (select file_id from step_stretch)
            or file_id in (select file_id from attempt_end)
            or file_id in (select file_id from elastic_log)
        union all
        from begun_anew
        union all by name
        from begun_by_launcher
        union all by name
        select *
        from begun_as_process
        where (file_id, line_no) not in (select (file_id, line_no) from begun_anew)
    )
select *
from opening
where exists (from attempt_end)  -- where nothing ended there is one attempt
