/*
title = "The run failed, and no rule says why"
severity = "warning"
confidence = "possible"
status = "stable"
otherwise = true
about = """
Asked where no other rule found a cause: logs that end in trouble no rule knows. Shown are the lines
most worth reading: rare ones, of few ranks, that others follow, close before the end; errors of
libraries that are read, but that no rule judges, are among them. A log is taken for one of a failed
job where a launcher or scheduler says so, or where a line of a job as programs end with it comes
near the end and no step is logged after it, or an error is the last that a rank says. Or the
scheduler lists the job as failed, or a watchdog finds none in the queue, or nothing but the end is
told: with which code a process ended, by an exception that only tells of another (an engine's core,
a worker of a data loader or of a pool), by a traceback that the end of the log cuts, by a launcher
that ended its workers, by a trace of its system calls that ends so.
"""
false_positives = "A program that prints an error at its end and does not fail by it."

[[summary]]
when = "state == 'ABSENT'"
say = '''{{ job_name }} neither runs nor waits to run{% if at %} since
{{ at.strftime('%Y-%m-%d %H:%M') }} at the latest{% endif %}, and no log here says why it ended'''

[[summary]]
when = "state == 'FAILED'"
say = '''Slurm lists job {{ job }}{% if job_name %} ({{ job_name }}){% endif %} as failed
{%- if exit_code %} with exit code {{ exit_code }}{% endif %}, and no log here says why'''

[[summary]]
when = "ended_workers"
say = '''
The launcher ended its workers{% if ranks %} when {{ ranks | ranks }}
{{ ranks | agree('was', 'were') }} no longer heard from{% endif %}, and no log here says why
'''

[[summary]]
when = "build_tool"
say = '''{{ build_tool }} failed to build an extension (exit code {{ exitcode }}), and the message
of the compiler is not in this log'''

[[summary]]
when = "told_by == 'scheduler'"
say = '''{% if ranks %}{{ ranks | ranks | capital }}{% else %}A task{% endif %}
{%- if host %} on {{ host }}{% endif %} failed first: Slurm ended the step because of it
{%- if ranks %}, and tells of all other tasks that they were ended{% endif %}; no log here says
why'''

[[summary]]
when = "told_by"
say = "A process of the job failed, its launcher says; no log here says which or why"

[[summary]]
when = "exitcode is not none"
say = '''{% if ranks %}{{ ranks | ranks | capital }}{% elif local_rank is not none %}Local rank
{{ local_rank }}{% elif command %}{{ command }}{% else %}A process{% endif %}
{%- if pid %} (pid {{ pid }}){% endif %}
{%- if host %} on {{ host }}{% endif %} ended with exit code {{ exitcode }}, and no log here says
why'''

[[summary]]
when = "lost == 'loader_worker'"
say = '''A worker of {{ ranks | ranks ~ "'s" if ranks else 'a' }} data loader
{%- if lost_pids %} (pid {{ lost_pids | names }}){% endif %} ended by itself, and no log here says
why'''

[[summary]]
when = "lost == 'engine'"
say = "The core of an inference engine died, and its own last words are not in these logs"

[[summary]]
when = "lost == 'worker'"
say = '''
A worker process{% if lost_pids %} (pid {{ lost_pids | names }}){% endif %} died, as its parent
says, and no log here says why
'''

[[summary]]
say = '''
The job failed and no rule says why; most worth reading
{% if rank is not none %}(rank {{ rank }}{% if host %} on {{ host }}{% endif %})
{% elif host %}(on {{ host }}){% endif %}: {{ text }}
{% if times and times > 1 %}({{ times }} such lines){% endif %}
'''

[[step]]
when = "lost == 'loader_worker'"
say = '''
Load the data in the main process (num_workers=0): what a worker raises, or dies of, is then seen
where it happens.
'''

[[step]]
when = "lost == 'loader_worker'"
say = '''
Where processes are spawned, as on Windows and macOS, each worker imports the program anew: keep its
start under if __name__ == '__main__', and see that all that the data set holds can be pickled.
'''

[[step]]
when = "lost == 'engine'"
say = '''
Find what the engine's core wrote before it died (lines of EngineCore with a pid of their own, above
this one or in its output on its node): the cause is the first exception there.
'''

[[step]]
when = "lost"
say = '''
See whether the kernel killed that process, which leaves it no word: look for the out-of-memory
killer and for segfaults at that time.
'''
run = ["dmesg -T | grep -iE 'out of memory|oom-kill|segfault'"]

[[step]]
when = "text and not lost"
say = '''
Read these lines in their context, and what the same process wrote just before the first of them.
'''

[[step]]
when = "text and is_unread"
say = '''
List all lines with a word of trouble that gave no row: what is missing here is a grammar.
'''
run = ["logsift unread ."]

[[step]]
when = "build_tool"
say = '''
Find the compiler's own message, the first line with FAILED: or error: further above; pip shows it
with -v. Where there is none, the compiler was killed: run fewer of them at once.
'''
run = ["pip install -v . 2>&1 | grep -m 5 -E 'FAILED:|error:'", "export MAX_JOBS=4"]

[[step]]
when = "(exitcode is not none and not build_tool) or ended_workers or told_by"
say = '''
Look for the output of that process: a file of its own (torchrun --log-dir and --tee, mpirun
--output-filename), or the lines above, if they were cut.
'''

[[step]]
when = "state"
say = "Ask Slurm how the job and its steps ended, and on which nodes."
run = [
  "sacct -j {{ job }} -o JobID,JobName,State,ExitCode,DerivedExitCode,End,NodeList",
  "{% if not job %}sacct --name {{ job_name }} -o JobID,State,ExitCode,End,NodeList{% endif %}",
]

[[step]]
when = "state"
say = '''Read the output of the ranks that is not here (its file is set by --output, --error and
the launcher), then start the job again; chained jobs (a job array that runs one at a time) leave
no gap next time.'''
run = ["scontrol show job {{ job }} | grep -E 'StdOut|StdErr'", "sbatch --array=1-10%1 job.slurm"]
*/
with
    job as (select file_id, max(line_no) as last_step_line from training_line group by file_id),
    finished as (
        select file_id, max(line_no) as line_no, arg_max(footer, line_no) as footer
        from
            (
                select
                    file_id,
                    line_no,
                    -- below its word of success a scheduler lists what the job used
                    case
                        when regexp_matches(message, '^Successfully completed\.|Normal termination')
                        then 25
                        else 3
                    end as footer
                from training_mark
                where kind = 'end'
                union all
                select file_id, line_no, 3 as footer
                from done_line
                union all
                -- the last step that was planned, which no epoch begins anew behind
                select file_id, min(line_no) filter (step >= planned), 3 as footer
                from training_line
                group by file_id
                having min(line_no) filter (step >= planned) > max(line_no) filter (step < planned)
            )
        group by file_id
    ),
    last_done as (select file_id, max(line_no) as line_no from done_line group by file_id),
    trouble as (
        select
            file_id,
            line_no,
            prefix,
            text,
            word,
            time,
            rank,
            host,
            pid,
            uptime_seconds,
            true as is_unread
        from unread_line
        union all by name
        -- a library's own error, which tells what it was about, but no rule what it means
        select file_id, line_no, message as text, 'error' as word, time, rank, host
        from library_trouble
        where class is null or class not in ('note', 'echo')
        union all by name
        -- an exception of a kind that other rules judge, none of which did
        select file_id, line_no, type || ': ' || message as text, 'fatal' as word, time, rank, host
        from fatal_exception
        where certain
    ),
    line as (
        select
            u.*,
            line_template(u.text) as template,
            is_mild(u.text)
            or is_news(u.prefix)
            or logged_level(u.prefix) = 'W'
            or is_of_a_daemon(u.prefix, u.text)
            or is_word_of_leaving(u.text)
            and coalesce(d.line_no - u.line_no between 1 and 60, false) as is_mild,
            is_grave(u.text, u.word) and not is_mild as is_grave,
            f.lines - u.line_no as lines_to_end,
            -- the same was said long before, and the job went on
            u.line_no - min(u.line_no) over (partition by u.file_id, template)
            > 100 as was_survived,
            coalesce(u.line_no > j.last_step_line, true) as is_after_steps,
            -- after the end of training, or on the way to it: the log closes with it
            coalesce(
                u.line_no > e.line_no or f.lines - e.line_no < e.footer, false
            ) as is_after_end,
            u.rank is not null or o.file_id is not null as is_of_job,
            j.file_id is not null as has_steps,
            -- What the kernel says tells of the machine, not of the job.
            u.uptime_seconds is null
            and (
                speaks_of_job(u.text)
                or max(speaks_of_ranks(u.text) and not is_of_a_daemon(u.prefix, u.text)) over (
                    partition by u.file_id
                )
                and not is_of_a_journal(u.host, u.pid, u.rank, u.text)
                or (is_exception(u.text) and f.lines - u.line_no < 5)
            ) as is_about_job,
            coalesce(
                max(is_mild(u.text)) over (
                    partition by u.file_id
                    order by u.line_no
                    range between 1 following and 5 following
                ),
                false
            ) as is_forgiven
        from trouble u
        join file f using (file_id)
        left join job j using (file_id)
        left join finished e using (file_id)
        left join last_done d using (file_id)
        left join job_output o using (file_id)
    ),
    failed as (
        select 1
        where
            exists (
                from trouble_sign as s
                -- of something that the job tried before its training came to its end
                where
                    not exists (
                        from training_mark as m
                        where
                            m.kind = 'end'
                            and m.ended_by is null
                            and m.file_id = s.file_id
                            and m.line_no > s.line_no
                    )
            )
            or exists (from fatal_exception where certain)
            or exists (
                from line
                where
                    is_unread
                    and is_after_steps
                    and not is_after_end
                    and not is_mild
                    and not is_forgiven
                    and not was_survived
                    and not is_code(text)
                    and (
                        is_grave
                        and (is_of_job or is_about_job)
                        and lines_to_end < 200
                        -- at its start a healthy job tells of much that failed and is done without
                        or word = 'error'
                        and has_steps
                        and lines_to_end < 20
                        -- a rank's last word
                        or word = 'error'
                        and rank is not null
                        and lines_to_end = 0
                    )
            )
    ),
    told as (
        select
            *,
            count(*) over (partition by template) as times,
            count(distinct coalesce(rank::varchar, host, file_id::varchar)) over (
                partition by template
            ) as writers,
            row_number() over (
                partition by template order by time nulls last, file_id, line_no
            ) as nth_of_template,
            -- what others follow: the first of a burst
            coalesce(
                line_no - lag(line_no) over (partition by file_id order by line_no) > 20, true
            ) as is_first_of_burst
        from line
        where
            not is_mild
            and not is_code(text)
            -- where the job itself speaks, a machine's journal or a list of words is no better
            -- guess
            and (is_of_job or is_about_job or not exists (from job_output))
            -- a command of the build says more
            and not (
                is_word_of_pip(text) and exists (from "exit" as x where x.source = 'subprocess')
            )
            -- srun's word for it that all is over
            and not is_end_of_step(text)
            and not (is_terminated(text) and exists (from ended_from_outside))
            -- behind the word that a task failed stand those that were ended because of it
            and (
                is_grave
                or not exists (
                    from task_failure v where v.file_id = line.file_id and v.line_no < line.line_no
                )
            )
            -- what training did without is not why somebody ended it
            and (is_after_steps or not exists (from ended_from_outside))
    ),
    ranked as (
        select
            *,
            case when is_grave then 4 when word in ('error', 'claimed') then 2 else 0 end
            - case when is_aftermath(text) then 3 else 0 end
            - case when is_forgiven then 1 else 0 end
            + case when is_first_of_burst then 1 else 0 end
            + case when is_after_steps then 1 else -3 end
            - ln(times)
            - 0.5 * ln(writers)
            - 0.3 * ln(1 + lines_to_end) as score
        from told
        where nth_of_template = 1 and exists (from failed)
        qualify
            row_number() over (order by score desc, file_id, line_no) <= 5
            and max(score) over () - score < 5
    ),
    shown as (
        select *, row_number() over (order by score desc, file_id, line_no) = 1 as is_best
        from ranked
    ),
    verdict as (
        select *
        from job_seen as j
        where
            state in ('ABSENT', 'FAILED')
            -- of this job: named by a path, or nothing else is listed
            and (
                exists (from file as f where contains(f.path, coalesce(j.job, j.job_name)))
                or (select count(distinct coalesce(job_name, job)) from job_seen) = 1
            )
        qualify
            row_number() over (order by state = 'FAILED' desc, time desc nulls last, line_no) = 1
    ),
    last_line as (
        select list(line_at(file_id, f.lines) order by f.file_id)[1:5] as lines
        from job_output
        join file as f using (file_id)
    )
select
    list(line_at(file_id, line_no) order by score desc, file_id, line_no) as evidence,
    min(time) as "at",
    -- a launcher tells whose end it saw first
    coalesce(
        list(rank) filter (rank is not null and is_best), (select ranks from first_end)
    ) as ranks,
    coalesce(
        -- its launcher knows where it was, whoever collected its output
        case
            when list_has_any(list(rank) filter (is_best), (select ranks from first_end))
            then (select hosts from first_end)
        end,
        list(host) filter (host is not null and is_best),
        (select hosts from first_end)
    ) as hosts,
    arg_max(text[:200], score) as text,
    arg_max(times, score) as times,
    bool_or(is_unread) as is_unread,
    list(
        {'rank':rank, 'host':host, 'times':times, 'writers':writers, 'text':text[:200]}
        order by score desc, file_id, line_no
    ) as lines,
    -- its own word is among them, and the others only lost it
    case
        when
            list_has_any(
                list(rank) filter (rank is not null and is_best), (select ranks from first_end)
            )
            and exists (
                from peer_loss p cross join first_end e where not list_contains(e.ranks, p.rank)
            )
            and not exists (
                from peer_loss p cross join first_end e where list_contains(e.ranks, p.rank)
            )
        then ['network.peer_lost']
    end as explains
from shown
having count(*) > 0
union all by name
select
    list_distinct([line_at(v.file_id, v.line_no)] || coalesce(l.lines, [])) as evidence,
    v.time as "at",
    v.job,
    v.job_name,
    v.state,
    v.exit_code
from verdict as v
cross join last_line as l
where
    not exists (from trouble_sign)
    and not exists (from fatal_exception)
    and not exists (from death)
    and not exists (from oom_event)
    and not exists (from cuda_error)
    and not exists (from config_error)
    and not exists (from training_event where kind = 'end')
    and not exists (from memory_guard)
    and not exists (from shown)
union all by name
-- Nothing but the end itself is known: a launcher tells which process ended first, an exception
-- only tells of another, or the launcher ended its workers.
select
    [line_at(file_id, line_no)] as evidence,
    time as "at",
    * exclude (file_id, line_no, time, weight, first_observed),
    -- the others lost this one
    case
        when weight = 1 and pid is not null and exists (from peer_loss where rank is not null)
        then ['network.peer_lost']
    end as explains
from
    (
        select
            1 as weight,
            first_observed,
            case when rank is not null then [rank] end as ranks,
            case when host is not null then [host] end as hosts,
            local_rank,
            pid,
            exitcode,
            (
                select nullif(regexp_extract(e.message, build_tools(), 1), '')
                from exception as e
                where x.source = 'subprocess' and e.file_id = x.file_id and e.line_no = x.line_no
            ) as build_tool,
            -- what a program started and cannot do without
            (
                select
                    nullif(
                        regexp_extract(
                            e.message,
                            '^Command ''\[?[''"]?(?:[^''" ]*/)?([0-9A-Za-z][0-9A-Za-z_.+-]*)',
                            1
                        ),
                        ''
                    )
                from exception as e
                where
                    x.source = 'subprocess'
                    and e.file_id = x.file_id
                    and e.line_no = x.line_no
                    and ran_a_helper(e.message)
            ) as command,
            null as text,
            null as ended_workers,
            time,
            file_id,
            line_no
        from "exit" x
        where
            exitcode between 1 and 127
            -- what a loader's parent says of its worker, it says below
            and not exists (
                from exception_verdict as v
                where
                    v.file_id = x.file_id
                    and v.line_no = x.line_no
                    and echo_of(v.class, v.message) = 'loader_worker'
            )
            -- all submissions append to one log of HTCondor: the last counts
            and not exists (
                from "exit" l
                where
                    x.source = 'htcondor'
                    and l.source = 'htcondor'
                    and l.file_id = x.file_id
                    and l.line_no > x.line_no
            )
        union all by name
        select
            2 as weight,
            case when rank is not null then [rank] end as ranks,
            case when host is not null then [host] end as hosts,
            pid,
            left(type || ': ' || message, 200) as text,
            echo_of(class, message) as lost,
            echo_pids(message) as lost_pids,
            time,
            file_id,
            line_no
        from exception_verdict
        where
            kind = 'echo'
            -- or it names what died, of which nothing else is heard
            and (chain_uncaught or echo_of(class, message) is not null)
            and steps_after = 0
            and lines_after < 20
        union all by name
        -- how a traceback ends is not in the log any more
        select
            2 as weight,
            case when rank is not null then [rank] end as ranks,
            case when host is not null then [host] end as hosts,
            concat(file, ':', line, ' in ' || "function") as text,
            time,
            file_id,
            line_no
        from cut_traceback
        union all by name
        select
            case when rank is not null then 1 else 3 end as weight,
            case when rank is not null then [rank] end as ranks,
            case when host is not null then [host] end as hosts,
            teller as told_by,
            time,
            file_id,
            line_no
        from task_failure
        union all by name
        -- the process that was traced, with which its trace ends
        select
            4 as weight,
            case when p.rank is not null then [p.rank] end as ranks,
            case when p.host is not null then [p.host] end as hosts,
            nullif(coalesce(p.pid, e.tid), 0) as pid,
            try_cast(e.result as bigint) as exitcode,
            e.file_id,
            e.line_no
        from strace_event e
        join strace_thread p on p.trace = e.trace and p.tid = e.tid
        join file f on f.file_id = e.file_id
        where
            e.kind = 'exit'
            and p.main
            and try_cast(e.result as bigint) between 1 and 127
            and f.lines - e.line_no < 2
        union all by name
        select 3 as weight, true as ended_workers, u.ranks, l.time, l.file_id, l.line_no
        from launcher_event l
        join file f using (file_id)
        left join
            (
                select
                    file_id,
                    list_sort(
                        list_distinct(
                            flatten(
                                list(
                                    list_transform(
                                        regexp_extract_all(listed, '[0-9]+'), lambda n:n::bigint
                                    )
                                )
                            )
                        )
                    ) as ranks
                from worker_unheard
                where listed is not null
                group by file_id
            ) u using (file_id)
        where l.event = 'closing' and f.lines - l.line_no < 20
    ) told_end
where
    not exists (from fatal_exception)
    -- who says that it lost another one says why it ended
    and not exists (
        from peer_loss p
        left join rank r using (rank)
        where list_contains(ranks, p.rank) or coalesce(r.pid = told_end.pid, false)
    )
    -- the launcher ends the others with SIGTERM, or kills them once it has told of the first
    and not exists (
        from death
        where
            signal is distinct from 15
            and not (
                signal = 9
                and exists (from "exit" f where f.first_observed and f.exitcode between 1 and 127)
            )
    )
    and not exists (from shown)
    and not exists (from verdict)
    and not exists (from ended_from_outside)
    and not exists (
        from training_mark m
        where
            m.kind = 'end'
            -- of a submission before
            and not exists (
                from "exit" x
                where x.source = 'htcondor' and x.file_id = m.file_id and x.line_no > m.line_no
            )
    )
qualify
    row_number() over (
        order by weight, first_observed is true desc, time nulls last, file_id, line_no
    )
    = 1
