-- view: one row per call that did nothing but wait until its own limit was over. limit_seconds:
-- how long that was, where the trace keeps it.
select file_id, line_no, pid, syscall, limit_seconds
from
    (
        select
            *,
            case
                when syscall in ('select', '_newselect') and said = 'Timeout'
                then
                    number_in(args, '\{(?:tv_sec=)?([0-9]+), (?:tv_usec=)?[0-9]+\}$')
                    + number_in(args, '\{(?:tv_sec=)?[0-9]+, (?:tv_usec=)?([0-9]+)\}$') / 1e6
                when syscall = 'poll' and said = 'Timeout'
                then number_in(args, ', ([0-9]+)$') / 1e3
                when
                    syscall in ('ppoll', 'pselect6')
                    and said = 'Timeout'
                    or syscall in ('nanosleep', 'clock_nanosleep')
                    and result = '0'
                    and not contains(args, 'TIMER_ABSTIME')
                then
                    number_in(args, '\{(?:tv_sec=)?([0-9]+), (?:tv_nsec=)?[0-9]+\}')
                    + number_in(args, '\{(?:tv_sec=)?[0-9]+, (?:tv_nsec=)?([0-9]+)\}') / 1e9
            end as limit_seconds
        from strace_line
        where
            kind = 'call'
            and syscall
            in ('select', '_newselect', 'poll', 'ppoll', 'pselect6', 'nanosleep', 'clock_nanosleep')
    )
where limit_seconds is not null
union all
select file_id, line_no, pid, syscall, seconds
from strace_quick
where syscall in ('nanosleep', 'clock_nanosleep') and errno is null
union all
select file_id, line_no, pid, syscall, seconds
from strace_returned
where syscall in ('nanosleep', 'clock_nanosleep') and errno is null
