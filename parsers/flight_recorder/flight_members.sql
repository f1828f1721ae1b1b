-- table: One row per group, by its key, with its members. A name alone does not identify a group:
-- the members are part of the key.
select grp_key, any_value(members) as members from flight_group_said group by grp_key
