-- table: One row per rank, group and number that timed out, however often it was printed. The group
-- a watchdog's timeout belongs to is in another line of the same rank: the status of the group
-- whose work of that number failed.
with
    of_status as (
        select distinct
            on (file_id, who, group_rank, failed_seq) file_id,
            coalesce(rank, group_rank) as who,
            group_rank,
            failed_seq,
            grp,
            grp_desc,
            last_enqueued,
            last_completed
        from c10d_status_line
        where source = 'watchdog'
        order by line_no
    ),
    -- Lines without any prefix (what(), exceptions) repeat what a line with one says.
    -- A rank within a group is the global one only in the default group, or where nothing else is
    -- printed (up to torch 2.2).
    own as (
        select
            t.*,
            coalesce(
                t.rank,
                case
                    when
                        coalesce(t.grp_desc = 'default_pg', t.grp = '0')
                        or not exists (from c10d_timeout_line p where p.rank is not null)
                    then t.group_rank
                end
            ) as who
        from c10d_timeout_line t
        where
            t.rank is not null
            or not exists (
                from c10d_timeout_line p
                where
                    (
                        p.rank is not null
                        and p.group_rank is not distinct from t.group_rank
                        or t.group_rank is null
                        and p.group_rank is not null
                    )
                    and p.collective_seq is not distinct from t.collective_seq
                    and p.op is not distinct from t.op
            )
    ),
    grouped as (
        select
            t.* exclude (grp, grp_desc),
            coalesce(t.grp, s.grp) as grp,
            coalesce(t.grp_desc, s.grp_desc) as grp_desc,
            s.last_enqueued,
            s.last_completed
        from own t
        left join
            of_status s
            on s.file_id = t.file_id
            and s.who is not distinct from coalesce(t.rank, t.group_rank)
            and s.group_rank is not distinct from t.group_rank
            and s.failed_seq = t.collective_seq
    )
select
    who as rank,
    any_value(group_rank) as group_rank,
    any_value(grp) as grp,
    any_value(grp_desc) as grp_desc,
    collective_seq,
    source,
    arg_min(op, line_no) as op,
    min(awaited_rank) as awaited_rank,
    max(timeout_ms) as timeout_ms,
    min(ran_ms) as ran_ms,
    any_value(numel_in) as numel_in,
    any_value(numel_out) as numel_out,
    any_value(last_enqueued) as last_enqueued,
    any_value(last_completed) as last_completed,
    any_value(host) as host,
    any_value(local_rank) as local_rank,
    min(time) as time,
    arg_min(file_id, coalesce(time, timestamp '2999-01-01')) as file_id,
    arg_min(line_no, coalesce(time, timestamp '2999-01-01')) as line_no
from grouped
group by
    who, case when who is null then file_id end, collective_seq, op, numel_in, numel_out, source
