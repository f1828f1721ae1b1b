-- table: One row per rank and collective that its watchdog gave up, with the group it belongs to
-- and when the wait began. The group is in another line, which not every rank wrote: the same
-- operation of the same number is that of the ranks that name it.
with
    named as (
        select
            *, case when grp_desc <> '' then grp_desc when grp is not null then grp end as own_group
        from c10d_timeout_once
    )
select
    * exclude (grp, grp_desc, group_rank, local_rank, own_group, collective_seq),
    coalesce(
        own_group,
        case
            when min(own_group) over same = max(own_group) over same then min(own_group) over same
        end
    ) as grp,
    collective_seq as seq,
    time - to_milliseconds(coalesce(ran_ms, timeout_ms)) as started
from named
window same as (partition by collective_seq, op, numel_in, numel_out, timeout_ms)
