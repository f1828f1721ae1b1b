-- view: Who is missing, by every source that can tell. Fixed shape: source, ranks, hosts, pids,
-- grp, seq, op, side, place, grade, at, said, evidence. Members of groups that left no dump, and of
-- which no watchdog says that they wait: gone, not come, or their dump could not be written or was
-- not copied. That alone names nobody.
select distinct rank
from (select unnest(members) as rank from flight_members)
anti join
    (
        select rank
        from flight_dump
        union
        select rank
        from file
        where grammar = 'flight_recorder'
        union
        select rank
        from c10d_timeout_once
        where source = 'watchdog'
    ) using (rank)
