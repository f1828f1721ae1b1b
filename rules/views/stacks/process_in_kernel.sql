-- table: one row per process and what it waits for in the kernel, or that it is stopped. times:
-- how often it was seen so. is_proven: one look proves nothing, everybody who reads a file is
-- there for a moment: it was seen so twice, its dump failed, or others wait for it. is_likely:
-- somebody who looked for what hangs found it in a file system that others serve, or in the
-- NVIDIA driver by ps as well as by its stack, or three processes are there at once.
with
    known as (
        select pid, rank, host
        from stack_known_rank
        union
        select pid, rank, host
        from stack_main
        where rank is not null and not rank_guessed and role = 'rank'
    ),
    rank_of as (
        select pid, any_value(rank) as rank, any_value(host) as host
        from known
        group by pid
        having count(distinct rank) = 1
    ),
    seen as (
        select
            w.pid,
            w.waits_on,
            bool_or(w.is_passing) as is_passing,
            max(coalesce(w.rank, r.rank, number_in(w.cmdline, '\[rank=([0-9]{1,6})\]'))) as rank,
            max(coalesce(w.host, r.host)) as host,
            min(w.kernel_function) as kernel_function,
            -- ps and /proc/PID/stack of one moment are one look
            greatest(
                count(*) filter (w.state is null), count(*) filter (w.state is not null)
            ) as times,
            list(line_at(w.file_id, w.line_no) order by w.file_id, w.line_no)[:4] as evidence,
            bool_or(r.rank is not null or contains(w.cmdline, 'python')) as is_python,
            bool_or(w.is_typed) as is_typed,
            bool_or(w.state is not null) and bool_or(w.is_typed) as is_seen_twice
        from kernel_wait as w
        left join rank_of as r using (pid)
        where w.waits_on is not null
        group by w.pid, w.waits_on
    )
select
    s.*,
    s.waits_on = 'stopped' as is_stopped,
    s.times >= 2
    and s.is_python
    or is_stopped
    and (s.rank is not null or s.is_python and exists (from smi_process as g where g.pid = s.pid))
    -- several programs that ask the same driver
    or s.waits_on = 'the NVIDIA driver'
    and (select count(*) from seen as o where o.waits_on = s.waits_on) >= 2
    -- somebody looked at several, one by one, and found them all there
    or s.is_typed
    and (select count(*) from seen as o where o.waits_on = s.waits_on and o.is_typed) >= 2
    or exists (from stack_main as m where m.pid = s.pid and m.failure in ('no_stack', 'stopped'))
    or exists (from stack_verdict as v where list_contains(v.pids, s.pid)) as is_proven,
    s.waits_on = 'the NVIDIA driver'
    and s.is_seen_twice
    or not s.is_passing
    and s.waits_on not in ('stopped', 'the NVIDIA driver')
    and (
        s.is_typed or (select count(*) from seen as o where o.waits_on = s.waits_on) >= 3
    ) as is_likely
from seen as s
