-- view: One row per group and sequence number of its collectives, with what each rank says of it:
-- ops, ranks that recorded it, pending_ranks, states by rank; absent_ranks = members without it.
with
    -- The last record of a rank counts.
    last_record as (
        select *
        from flight_operation
        qualify
            row_number() over (
                partition by rank, grp_key, collective_seq, is_p2p order by record_id desc
            )
            = 1
    ),
    numbered as (
        select
            any_value(grp) as grp,
            any_value(grp_desc) as grp_desc,
            grp_key,
            collective_seq as seq,
            list_sort(list(distinct kind)) as ops,
            list_sort(list(distinct rank)) as ranks,
            list_sort(list(distinct rank) filter (pending)) as pending_ranks,
            map_from_entries(list({'rank':rank, 'state':state} order by rank)) as states,
            min(time) as time,
            -- Records of several ranks have the same number.
            arg_min(file_id, (record_id, rank, file_id)) as file_id,
            arg_min(line_no, (record_id, rank, file_id)) as line_no
        from last_record
        where not is_p2p and collective_seq is not null
        group by grp_key, collective_seq
    )
select
    * exclude members, list_filter(members, lambda m: not list_contains(ranks, m)) as absent_ranks
from numbered
left join flight_members using (grp_key)
