-- table: One row per chain of exceptions: the one that began it; kind = own | config | checkpoint |
-- incompatible | writer | disk | limit | memory | gpu | collective | loss | echo | interrupt;
-- uncaught = it reached the top of the program; steps_after = training steps logged after it.
with
    meant as (  -- of a chain: what began it, unless that is the miss of a look-up that the next error explains better
        select
            e.*,
            exception_kind(class, message, frames, chained) as kind,
            exception_module_level(frames) as uncaught,
            last_value(class) over chain as raised_class,
            last_value(message) over chain as raised_message,
            last_value(line_no) over chain as raised_line,
            bool_or(exception_module_level(frames)) over whole as chain_uncaught,
            bool_or(chained = 'thread') over whole as in_thread,
            count(*) over whole as links
        from exception e
        where coalesce(chained, '') <> 'ignored'
        window
            chain as (
                partition by file_id, stream, chain_line
                order by line_no
                rows between unbounded preceding and unbounded following
            ),
            whole as (partition by file_id, stream, chain_line)
    ),
    picked as (
        select *
        from meant
        qualify
            row_number() over (
                partition by file_id, stream, chain_line
                order by
                    case
                        when
                            links > 1
                            and not final
                            and class in (
                                'Empty',
                                'KeyError',
                                'StopIteration',
                                'AttributeError',
                                'IndexError',
                                'ImportError',
                                'ModuleNotFoundError',
                                'Full',
                                'BlockingIOError',
                                'TimeoutError'
                            )
                        then 1
                        when kind = 'echo'
                        then 2
                        else 0
                    end,
                    line_no
            )
            = 1
    ),
    after as (  -- did training go on in the same file?
        select p.file_id, p.line_no, count(distinct m.step) as steps_after
        from picked p
        join
            metric m
            on m.file_id = p.file_id
            and m.line_no > p.raised_line
            and (m.rank is null or p.rank is null or m.rank = p.rank)
        group by all
    ),
    ended as (
        select
            count(*) filter (
                exitcode > 0
                and exitcode < 128
                or exitcode is null
                and signal is null
                and signal_name is null
            ) as failures
        from "exit"
    )
select
    p.*,
    coalesce(a.steps_after, 0) as steps_after,
    f.lines - p.raised_line as lines_after,
    ended.failures > 0
    or exists (
        from exception x where x.class in ('ChildFailedError', 'CalledProcessError')
    ) as job_failed,
    f.path
from picked p
join file f using (file_id)
cross join ended
left join after a on a.file_id = p.file_id and a.line_no = p.line_no
