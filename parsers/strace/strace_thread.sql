-- table: one row per thread of a trace, and the process it belongs to (pid). Main threads are
-- known by how they were made, by the signals their parents get, and by other logs. A thread
-- whose making was not seen belongs to the one main thread there is, or to nobody known. main:
-- it is the first of its process. processes: how many the trace has.
with recursive
    mains as (
        select trace, child as tid
        from strace_clone
        where not thread
        union
        select
            trace,
            try_cast(regexp_extract(args, 'si_code=CLD_[A-Z]+, si_pid=([0-9]+)', 1) as bigint)
        from strace_event
        where kind = 'signal' and signal_name = 'SIGCHLD'
        union
        select trace, try_cast(regexp_extract(args, '^([0-9]+)', 1) as bigint)
        from strace_notable
        where syscall in ('kill', 'tgkill')
        union
        select trace, min(tid)
        from strace_tail
        group by trace
        union
        select f.trace, l.pid
        from strace_line l
        join strace_file f using (file_id)
        where l.kind = 'attached' and l.threads is not null
        union
        select t.trace, t.tid
        from strace_tail t
        semi join identity i on i.pid = t.tid
        union
        select t.trace, t.tid
        from strace_tail t
        semi join "exit" x on x.pid = t.tid
    ),
    walk as (
        select distinct trace, tid, tid as top
        from strace_tail
        union
        select w.trace, w.tid, c.parent
        from walk w
        join strace_clone c on c.trace = w.trace and c.child = w.top and c.thread
    ),
    tops as (
        select w.trace, w.tid, w.top
        from walk w
        where
            not exists (
                from strace_clone c where c.trace = w.trace and c.child = w.top and c.thread
            )
    ),
    processes as (
        select
            t.trace,
            t.tid,
            case
                when bool_or(m.tid = t.top)
                then any_value(t.top)
                when count(m.tid) = 1
                then any_value(m.tid)
            end as process
        from tops t
        left join mains m on m.trace = t.trace and m.tid <= t.top
        group by all
    ),
    named as (
        select pid, any_value(rank) as rank, any_value(host) as host
        from
            (
                select pid, rank, host
                from identity
                union all
                select pid, rank, host
                from "exit"
                union all
                select pid, rank, host
                from stack_process
            )
        where pid is not null and rank is not null
        group by pid
        having count(distinct rank) = 1
    ),
    of_file as (
        select
            f.trace,
            coalesce(any_value(l.rank), any_value(f.rank)) as rank,
            coalesce(any_value(l.host), any_value(f.host)) as host
        from strace_file f
        left join (from strace_line where rank is not null or host is not null) l using (file_id)
        where l.rank is not null or l.host is not null or f.rank is not null or f.host is not null
        group by f.trace
    )
select
    p.trace,
    p.tid,
    p.process as pid,
    coalesce(p.tid = p.process, false) as main,
    coalesce(
        n.rank,
        case
            when
                not exists (
                    from processes q join named m on m.pid = q.process where q.trace = p.trace
                )
            then o.rank
        end
    ) as rank,
    coalesce(n.host, o.host) as host,
    n.rank is not null or o.rank is not null as is_rank,
    count(distinct p.process) over (partition by p.trace) as processes
from processes p
left join named n on n.pid = p.process
left join of_file o on o.trace = p.trace
