-- table:
select *
from collective_mismatch_flight
union all by name
select *
from collective_mismatch_fingerprint
union all by name
select *
from collective_mismatch_watchdog
union all by name
select *
from collective_mismatch_gloo
union all by name
select *
from collective_mismatch_nccl
