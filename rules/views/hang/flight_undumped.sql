-- table: One row per rank that belongs to a group of the Flight Recorder's dumps, left no dump
-- itself, and of which no watchdog says that it waits: it is gone, has not come, or its dump could
-- not be written or was not copied. That alone names nobody.
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
