-- table: One row per connection that could not be made: who (host, rank, pid, gpu_index) failed to
-- reach whom (peer, port), and why. error: as printed; failure: refused | timed_out | unreachable,
-- NULL where the log does not tell; source: nccl | strace |
-- c10d | ucx.
with
    attempt as (
        from connect_failure_nccl
        union all by name
        from connect_failure_strace
        union all by name
        from connect_failure_c10d
        union all by name
        from connect_failure_ucx
    )
select
    *,
    case
        -- NCCL up to 2.23 asks again after a refusal and prints what the second call said.
        when error ~* 'refused|software caused connection abort'
        then 'refused'
        when error ~* 'no route|unreach'
        then 'unreachable'
        when error ~* 'time|no answer'
        then 'timed_out'
    end as failure
from attempt
