-- table: One row per dump and group that it knows itself to be in (of_rank = whose dump it is).
select r.file_id, r.rank as of_rank, g.grp, g.grp_desc, s.grp_key
from flight_group g
join flight_rank r using (file_id)
join flight_group_said s on s.grp = g.grp and s.said = g.members
union all
select r.file_id, r.rank, s.grp, s.grp_desc, s.grp_key
from flight_group_said s
join flight_rank r on list_contains(s.members, r.rank)
where s.said is null
