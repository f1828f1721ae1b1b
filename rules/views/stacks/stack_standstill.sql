-- table: One row if every dumped rank waits for the same kind of thing, so that nobody stands
-- apart, and it is more than a moment's wait: somebody says that the program hangs (told), a timer
-- of minutes ran out over it (minutes), none of them holds the lock file that all want, or two
-- threads of each are in collectives at once, one of them to save a checkpoint. kind: dataloader |
-- checkpoint | init | lock | file_lock | two_savers. n: ranks; lines, told: evidence.
with
    -- Collectives that two threads start on one group come in no order that all ranks share.
    other_thread as (
        select process, min(line_at(file_id, line_no)) as line
        from stack_thread_place
        where not is_main and class = 'collective-wait' and snapshot = snapshots
        group by process
    ),
    here as (
        select
            r.*,
            o.line as other_line,
            -- faulthandler dumps what is not done by then
            number_in(occasion, '([0-9]+):[0-9]+:') * 60
            + number_in(occasion, ':([0-9]+):') as minutes,
            case
                when
                    class = 'collective-wait'
                    and o.process is not null
                    and len(list_filter(path, lambda c:regexp_matches(c, '(?i)checkpoint'))) > 0
                then 'two_savers'
                when class = 'data-wait'
                then 'dataloader'
                when
                    class = 'checkpoint-io'
                    -- the ranks wait for each other while they write it
                    or class = 'collective-wait'
                    and len(
                        list_filter(
                            path,
                            lambda c:regexp_matches(
                                c,
                                '^_?save_(?:checkpoint|state_dict)'
                                || '|^_?(?:async_)?save_?\w* .*checkpoint'
                            )
                        )
                    )
                    > 0
                then 'checkpoint'
                when class in ('init', 'store-wait')
                then 'init'
                when class = 'file-lock'
                then 'file_lock'
                when class = 'lock-wait' and decided.f not in ('join', '_wait_for_tstate_lock')
                then 'lock'
            end as kind
        from stack_rank r
        left join other_thread o using (process)
    ),
    wait as (
        select
            any_value(kind) as kind,
            count(*) as n,
            case when bool_and(coalesce(minutes, 0) >= 5) then min(minutes) end as minutes,
            list(rank order by rank) filter (rank is not null and not rank_guessed) as ranks,
            list(pid order by rank, pid) filter (pid is not null) as pids,
            list(distinct host) filter (host is not null) as hosts,
            mode(decided.f) as function,
            mode(coalesce(frame_with_line(own), decided.f)) as frame,
            list(line_at(file_id, coalesce(decided.line, thread_line)) order by rank, pid)[:6]
            || coalesce(list(other_line order by rank, pid) filter (other_line is not null), [])[
                :6
            ] as lines
        from here
        having
            count(*) > 0
            and count(distinct kind) = 1
            and bool_and(kind is not null and not failed and not coalesce(moved, false))
    ),
    told as (
        select list(line_at(file_id, line_no) order by file_id, line_no)[:3] as lines
        from hang_witness
        having count(*) > 0
    )
select w.*, t.lines as told
from wait w
left join told t on true
where
    (t.lines is not null or w.minutes > 0 or w.kind in ('file_lock', 'two_savers'))
    and not exists (from stack_verdict)
    and not coalesce((select goes_on from stack_aftermath), false)
