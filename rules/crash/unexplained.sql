/*
title      = "The run failed, and no rule says why"
severity   = "warning"
confidence = "possible"
status     = "stable"
otherwise  = true
about      = """
Asked where no other rule found a cause: logs that end in trouble nobody here knows. Shown are the
lines most worth reading: rare ones, of few ranks, that others follow, close before the end. A log
is taken for one of a failed job where a launcher or scheduler says so, or where a line of a job
as programs end with it comes near the end and no step is logged after it.
"""
false_positives = "A program that prints an error at its end and does not fail by it."

[[summary]]
say = '''
The job failed and no rule says why; most worth reading
{% if rank is not none %}(rank {{ rank }}{% if host %} on {{ host }}{% endif %})
{% elif host %}(on {{ host }}){% endif %}: {{ text }}
{% if times > 1 %}({{ times }} such lines){% endif %}
'''

[[step]]
say = '''
Read these lines in their context, and what the same process wrote just before the first of them.
'''

[[step]]
say = '''
List all lines with a word of trouble that gave no row: what is missing here is a grammar.
'''
run = ["logsift unread ."]
*/
with
    job as (select file_id, max(line_no) as last_step_line from training_line group by file_id),
    finished as (
        select file_id, max(line_no) as line_no
        from training_mark
        where kind = 'end'
        group by file_id
    ),
    line as (
        select
            u.*,
            line_template(u.text) as template,
            is_mild(u.text) as is_mild,
            is_grave(u.text, u.word) and not is_mild(u.text) as is_grave,
            f.lines - u.line_no as lines_to_end,
            coalesce(u.line_no > j.last_step_line, true) as is_after_steps,
            coalesce(u.line_no > e.line_no, false) as is_after_end,
            u.rank is not null or o.file_id is not null as is_of_job,
            -- What the kernel says tells of the machine, not of the job.
            u.uptime_seconds is null
            and (
                speaks_of_job(u.text)
                or max(speaks_of_ranks(u.text)) over (partition by u.file_id)
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
        from unread_line u
        join file f using (file_id)
        left join job j using (file_id)
        left join finished e using (file_id)
        left join job_output o using (file_id)
    ),
    failed as (
        select 1
        where
            exists (from trouble_sign)
            or exists (
                from line
                where
                    is_after_steps
                    and not is_after_end
                    and not is_mild
                    and not is_forgiven
                    and (
                        is_grave
                        and (is_of_job or is_about_job)
                        and lines_to_end < 200
                        or word = 'error'
                        and is_of_job
                        and lines_to_end < 20
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
        where not is_mild
    ),
    ranked as (
        select
            *,
            case when is_grave then 4 when word = 'error' then 2 else 0 end
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
    )
select
    list(line_at(file_id, line_no) order by score desc, file_id, line_no) as evidence,
    min(time) as "at",
    list(rank) filter (rank is not null and is_best) as ranks,
    list(host) filter (host is not null and is_best) as hosts,
    arg_max(text[:200], score) as text,
    arg_max(times, score) as times,
    list(
        {'rank':rank, 'host':host, 'times':times, 'writers':writers, 'text':text[:200]}
        order by score desc, file_id, line_no
    ) as lines
from shown
having count(*) > 0
