-- table: One row per member of a group of the Flight Recorder's dumps that has no dump which
-- counts, for whatever reason.
select distinct rank
from (select unnest(members) as rank from flight_members)
anti join flight_rank using (rank)
