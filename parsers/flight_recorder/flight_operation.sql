-- table: One row per recorded operation of the dumps that count, with the group's key, the global
-- ranks of sender and receiver, kind = the operation in one spelling, pending = it has not ended.
select
    e.* exclude (grp_desc, src, dst),
    coalesce(m.grp_key, e.grp) as grp_key,
    coalesce(nullif(e.grp_desc, ''), m.grp_desc) as grp_desc,
    coalesce(g.members[e.src + 1], e.src) as src,
    coalesce(g.members[e.dst + 1], e.dst) as dst,
    lower(regexp_replace(e.op, '^_', '')) as kind,
    e.backend is not distinct from 'gloo' as is_gloo,
    -- gloo leaves the state as it was when the work began; only `retired` tells, and only that it
    -- ended somehow.
    case
        when e.backend = 'gloo'
        then not coalesce(e.retired, true)
        else coalesce(e.state, '') <> 'completed'
    end as pending
from flight_entry e
join flight_rank r using (file_id)
left join flight_member m on m.file_id = e.file_id and m.grp = e.grp
left join flight_members g on g.grp_key = m.grp_key and e.is_p2p
