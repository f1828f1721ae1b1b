-- table: What the dumps say of each group's members, read once however many dumps say the same.
with
    told as (
        select grp, said, list_sort(from_json(said, '["BIGINT"]')) as members
        from
            (
                select distinct g.grp, g.members as said
                from flight_group g
                semi join flight_rank using (file_id)
                where g.members <> '[]' and g.grp <> ''
            )
    ),
    seen as (  -- gloo describes its groups wrongly: there the members are those who recorded something
        select grp, any_value(grp_desc) as grp_desc, list_sort(list(distinct rank)) as members
        from flight_entry e
        semi join flight_rank using (file_id)
        where grp is not null and grp not in (select grp from told)
        group by grp
    )
select *, grp || ' ' || md5(members::varchar)[:8] as grp_key
from
    (
        select *
        from told
        union all by name
        select *
        from seen
    )
