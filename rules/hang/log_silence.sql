/*
title = "The log of a rank stopped long before those of its peers"
severity = "warning"
confidence = "probable"
status = "stable"
explains = ["hang.collective_timeout", "network.peer_lost"]
about = """
A rank printed its training steps at a steady pace, then nothing more, while most other ranks went
on to write - steps, timeouts, errors - for ten of its longest pauses and at least a minute. It hung
or was lost without a word. Left out are ranks that end with an exit code or an exception, ranks
that another incident calls missing, ranks that never had a rhythm (where only rank 0 logs), and the
end of a run in which nothing went wrong. Or the only log stopped, and the scheduler says hours
later that the job still runs.
"""
false_positives = "A log that was copied before the others, or whose disk was full, ends early too."
references = ["https://docs.pytorch.org/docs/stable/distributed.html#debugging-torch-distributed-applications"]

[[summary]]
when = "job"
say = '''
The log stopped {{ seconds | duration }} before Slurm still listed job {{ job }} as running, after
a line every {{ usual_pause_seconds | duration }}: it hangs without a word'''

[[summary]]
say = '''
The {{ ranks | agree('log', 'logs') }} of {{ ranks | ranks }}
{%- if hosts %} ({{ hosts | names }}){% endif %} {{ ranks | agree('stops', 'stop') }}
{{ seconds | duration }} before those of {{ outlived_by | count('other rank') }}, after a line every
{{ usual_pause_seconds | duration }}.'''

[[step]]
when = "job"
say = '''While it still hangs, see where every rank stands: two stacks of each, a minute apart.
  Then
end it; nothing else will before its time limit.'''
run = [
  "srun --overlap --jobid={{ job }} py-spy dump --pid {{ pid }}",
  "scontrol show job {{ job }}",
]

[[step]]
when = "ranks"
say = '''See what became of {{ ranks | ranks }}{% if hosts %} on {{ hosts | names }}{% endif %}:
  its process may be gone, stopped (T) or waiting in the kernel (D).'''
run = ["ps -o pid,stat,wchan:32,etime,args -p {{ pids[0] }}", "py-spy dump --pid {{ pids[0] }}"]

[[step]]
when = "within_line"
say = '''Compare the size of {{ path }} with the original: it ends within a line. Where the copy is
  whole, the process ended, or was stopped, before it wrote what its output buffer held; let it
  write each line at once.'''
run = ["ls -l {{ path }}", "export PYTHONUNBUFFERED=1"]

[[step]]
say = '''Read the end of {% if path %}its log{% else %}their logs{% endif %}, and the kernel log
of {%
  if hosts %}{{ hosts | names }}{% else %}the host{% endif %} around the time of the last line{%
  if at %} ({{ at.strftime('%Y-%m-%d %H:%M:%S') }}){% endif %}: Xid, out of memory, hung tasks, a
  full disk.'''
run = [
  "tail -n 20 {{ path }}",
  "dmesg -T | grep -iE 'xid|out of memory|blocked for more'",
  "df -h",
]
*/
with
    -- Later by ten of its longest pauses, and by a minute at least.
    pair as (
        select
            a.*,
            o.last_time
            > a.last_time + greatest(60, 10 * a.longest) * interval 1 second as is_later,
            o.last_step > a.last_step as is_ahead,
            o.last_time as other_time,
            o.line as other_line
        from rank_rhythm a
        join rank_rhythm o on o.rank <> a.rank
    ),
    compared as (
        select
            rank,
            any_value(host) as host,
            any_value(path) as path,
            any_value(usual) as usual,
            any_value(last_time) as last_time,
            any_value(line) as line,
            count(*) as others,
            count(*) filter (is_later) as outlived,
            count(*) filter (is_later and is_ahead) as ahead,
            median(epoch(other_time) - epoch(last_time)) filter (is_later) as seconds,
            list(other_line order by other_time desc) filter (is_later) as other_lines
        from pair
        group by rank
    ),
    silent as (
        select *
        from compared c
        where
            others >= 2
            and 3 * outlived >= 2 * others
            -- At the end of a good run rank 0 saves and evaluates alone; a new attempt may leave
            -- a rank out.
            and (ahead > 0 or exists (from trouble_sign s where s.time > c.last_time))
            and not exists (from exit e where e.rank = c.rank)
            and not exists (from exception e where e.rank = c.rank)
            and not exists (from missing_rank_suspect m where list_contains(m.ranks, c.rank))
            and not exists (from rank_step s where s.goes_back and s.time > c.last_time)
    )
select
    list(line order by rank)[:6] || any_value(other_lines)[:3] as evidence,
    min(last_time) as "at",
    list(rank order by rank) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    case when count(*) = 1 then any_value(path) end as path,
    -- while those beside it end with whole lines
    case
        when
            count(*) = 1
            and any_value(path)
            in (select t.path from truncated_file t where t.minutes_early is not null)
        then true
    end as within_line,
    round(min(seconds), 1) as seconds,
    min(outlived) as outlived_by,
    round(median(usual), 3) as usual_pause_seconds
from silent
-- Where more than a quarter is silent, it is not they who are odd.
having count(*) > 0 and count(*) <= greatest(1, divide((select count(*) from rank_rhythm), 4))
union all by name
select
    [line, seen_line] as evidence,
    last_time as "at",
    seen_time as until,
    case when host is not null then [host] end as hosts,
    path,
    round(silent_seconds, 1) as seconds,
    round(usual, 3) as usual_pause_seconds,
    job,
    job_name,
    last_step::bigint as step
from job_silent
qualify row_number() over (order by last_time desc) = 1
