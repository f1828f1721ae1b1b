-- table: one row per file of a trace. The files of strace -ff (one per thread, its id behind the
-- last dot) make one trace together. own_tid: whose the lines are that name no thread. is_torn:
-- the trace began before the file does.
with
    lines as (
        select
            file_id,
            count(pid) filter (kind not in ('attached', 'detached')) as named,
            min(pid) filter (kind not in ('attached', 'detached')) as lowest,
            min_by(pid, line_no) filter (kind = 'attached') as attached,
            min_by(clock, line_no) as first_clock,
            -- what stands first is no line of a trace, or none as the others are
            min(line_no) > 1
            or arg_min_null(clock, line_no) is null
            and count(clock) > 0 as is_broken,
            max_by(clock, line_no) as last_clock,
            max(line_no) filter (kind not in ('attached', 'detached', 'rest')) as last_line,
            max(line_no) filter (kind in ('call', 'resumed', 'signal')) as last_moving,
            count(relative) as relatives
        from strace_said
        group by file_id
    )
select
    f.file_id,
    f.path,
    case
        when l.named = 0
        then regexp_replace(f.path, '\.[0-9]+(\.(?:gz|xz|zst|bz2))?$', '')
        else f.path
    end as trace,
    coalesce(
        case
            when l.named = 0
            then
                try_cast(
                    coalesce(
                        nullif(
                            regexp_extract(f.path, '\.([0-9]{1,10})(?:\.(?:gz|xz|zst|bz2))?$', 1),
                            ''
                        ),
                        nullif(
                            regexp_extract(
                                f.path, '(?:^|[^0-9A-Za-z])(?:pid)?([0-9]{2,10})(?:\.[a-z]+)*$', 1
                            ),
                            ''
                        )
                    ) as bigint
                )
        end,
        l.attached,
        l.lowest,
        0
    ) as own_tid,
    f.host,
    f.rank,
    l.first_clock,
    l.last_clock,
    l.last_line,
    l.last_moving,
    l.is_broken and l.attached is null as is_torn,
    l.relatives > 0 as relative,
    date_trunc('day', make_timestamp((divide(f.mtime_ns, 1000))::bigint)) as day
from lines l
join file f using (file_id)
