-- table: One row per rank and group: how far the rank has come in it (enqueued, completed), and
-- what is open. The counters of a group that also sends point to point mix both kinds of sequence
-- numbers, so there only the entries count.
with
    entry as (
        select
            rank,
            grp_key,
            any_value(grp) as grp,
            any_value(grp_desc) as grp_desc,
            max(collective_seq) filter (not is_p2p) as max_seq,
            min(collective_seq) filter (not is_p2p and pending) as first_pending,
            min(record_id) filter (pending) as first_record,
            min(record_id) filter (pending and not is_p2p) as first_collective_record,
            count(*) filter (pending and is_p2p) as pending_p2p,
            count(*) filter (pending and not is_p2p) as pending_collectives,
            bool_or(is_gloo) as gloo,
            bool_or(is_p2p) as any_p2p,
            arg_min(kind, record_id) filter (pending and not is_p2p) as op,
            arg_max(place, record_id) as last_place,
            arg_max(kind, record_id) as last_op,
            any_value(file_id) as file_id,
            coalesce(
                arg_min(line_no, record_id) filter (pending and not is_p2p),
                arg_max(line_no, record_id)
            ) as line_no,
            coalesce(
                arg_min(time, record_id) filter (pending and not is_p2p), arg_max(time, record_id)
            ) as time,
            max(timeout_ms) as timeout_ms
        from flight_operation
        group by rank, grp_key
    ),
    status as (
        select
            r.rank,
            m.grp_key,
            any_value(s.grp) as grp,
            any_value(m.grp_desc) as grp_desc,
            max(s.last_enqueued) as last_enqueued,
            max(s.last_completed) as last_completed,
            any_value(s.file_id) as file_id,
            any_value(s.line_no) as line_no
        from flight_status s
        join flight_rank r using (file_id)
        join flight_member m on m.file_id = s.file_id and m.grp = s.grp
        group by r.rank, m.grp_key
    ),
    of_group as (
        select
            grp_key,
            bool_or(any_p2p) as any_p2p,
            bool_or(gloo) as gloo,
            sum(pending_collectives) as pending_collectives,
            sum(pending_p2p) as pending_p2p
        from entry
        group by grp_key
    ),
    merged as (
        select
            coalesce(e.rank, s.rank) as rank,
            coalesce(e.grp_key, s.grp_key) as grp_key,
            coalesce(e.grp, s.grp) as grp,
            coalesce(e.grp_desc, s.grp_desc) as grp_desc,
            e.* exclude (rank, grp_key, grp, grp_desc, file_id, line_no),
            s.last_enqueued,
            s.last_completed,
            s.line_no as status_line,
            coalesce(e.file_id, s.file_id) as file_id,
            coalesce(e.line_no, s.line_no) as line_no
        from entry e
        full join status s on s.rank = e.rank and s.grp_key = e.grp_key
    )
select
    b.rank,
    r.host,
    b.grp_key,
    b.grp,
    b.grp_desc,
    coalesce(g.gloo, false) as gloo,
    coalesce(g.any_p2p, false)
    or (
        g.grp_key is null and regexp_matches(lower(b.grp_desc), 'pipeline|(^|_)pp(_|$)')
    ) as point_to_point,
    case when g.any_p2p then b.max_seq else greatest(b.last_enqueued, b.max_seq) end as enqueued,
    case
        when g.gloo
        then null
        when g.any_p2p or b.last_completed is null
        then coalesce(b.first_pending - 1, b.max_seq)
        else b.last_completed
    end as completed,
    b.first_pending,
    b.first_record,
    b.first_collective_record,
    coalesce(b.pending_p2p, 0) as pending_p2p,
    coalesce(b.pending_collectives, 0) as pending_collectives,
    b.op,
    b.last_op,
    b.last_place,
    b.timeout_ms,
    b.time,
    b.file_id,
    b.line_no
from merged b
join flight_rank r on r.rank = b.rank
left join of_group g on g.grp_key = b.grp_key
