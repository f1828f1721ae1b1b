-- table: one row per exception that a run can have died of, in the columns of exception_verdict:
-- by how much of the log follows it. certain: it reached the top of its program, or the job is
-- known to have failed.
select *, chain_uncaught or job_failed as certain
from exception_verdict
where
    kind not in ('echo', 'interrupt', 'ignored')
    -- training did not go on, unless after a restart
    and (
        steps_after < case when chain_uncaught or job_failed then 2 else 1 end
        or (job_failed and chain_uncaught and exists (from launcher_event where event = 'restart'))
    )
    -- The surer it is that something died, the more may be printed after it.
    and (
        lines_after <= 60
        or (job_failed and lines_after <= 400)
        or (chain_uncaught and lines_after <= 600)
        or (job_failed and chain_uncaught)
    )
    -- a module that was looked for, and done without
    and not (
        class in ('ImportError', 'ModuleNotFoundError')
        and went_on_after(chain_uncaught, job_failed, lines_after)
    )
    and not (in_thread and not job_failed and lines_after > 60)
    and not (not chain_uncaught and is_of_a_dashboard(frames))
    -- of several programs, one after the other, the first that failed did not write it
    and not (
        class = 'FileNotFoundError'
        and chain_uncaught
        and exists (
            from exception_verdict p
            where
                p.file_id = exception_verdict.file_id
                and exception_verdict.traceback_line - p.raised_line between 1 and 200
                and p.chain_uncaught
                and p.kind = 'own'
                and p.steps_after = 0
                and ends_with(p.frames[1], ' in <module>')
                and ends_with(exception_verdict.frames[1], ' in <module>')
                and frame_file(p.frames[1]) <> frame_file(exception_verdict.frames[1])
        )
    )
    -- what could not be loaded was done without: the other half of its output tells of training
    and not (
        kind = 'checkpoint'
        and not chain_uncaught
        and not job_failed
        and not regexp_matches(coalesce(frames::varchar, ''), ' in (?:async_|_)?save')
        and exists (
            from other_half h
            join metric_span m on m.file_id = h.half_id
            where h.file_id = exception_verdict.file_id
        )
    )
    -- one of a server's requests, which went on until it was told to end
    and not (
        not chain_uncaught
        and exists (
            from training_mark m
            where
                m.file_id = exception_verdict.file_id
                and m.line_no > exception_verdict.raised_line
                and starts_with(m.message, 'Finished server process')
        )
    )
    -- a service of the machine: the file that was started is the system's own
    and not coalesce(
        is_of_a_journal(host, pid, rank, message)
        and regexp_matches(frames[1], '^/usr/(?:libexec|sbin|share|lib(?:64)?/[^/]+)/')
        and not regexp_matches(frames[1], '^/usr/lib(?:64)?/python[0-9]'),
        false
    )
