-- table: One row per group and set of members that the Flight Recorder's dumps tell of, read once
-- however many dumps say the same. said = the members as printed, NULL where no dump describes the
-- group: gloo describes its groups wrongly, there the members are those who recorded something.
-- grp_key = name and members: a name alone does not identify a group.
with
    described as (
        select distinct g.grp, g.members as said
        from flight_group g
        semi join flight_rank using (file_id)
        where g.members <> '[]' and g.grp <> ''
    ),
    recorded as (
        select grp, any_value(grp_desc) as grp_desc, list_sort(list(distinct rank)) as members
        from flight_entry e
        semi join flight_rank using (file_id)
        where grp is not null and grp not in (select grp from described)
        group by grp
    ),
    united as (
        select grp, said, list_sort(from_json(said, '["BIGINT"]')) as members
        from described
        union all by name
        from recorded
    )
select *, grp || ' ' || md5(members::varchar)[:8] as grp_key
from united
