/*
what = "NCCL output"
why = '''{% if nccl_debug %}NCCL_DEBUG was {{ nccl_debug }}; {% endif %}with INFO, NCCL names
  peers, network cards and the rank of every process'''
how = "for the next run"
run = ["export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,NET"]
order = 8
*/
with
    open_end as (
        select 1
        from open_question
        where not settled and (in_collective or at_init)
        union all
        select 1
        from fatal_exception
        where kind = 'collective' and message like '%NCCL%' and not exists (from root_cause)
    )
select (select min(value) from setting where name = 'NCCL_DEBUG') as nccl_debug
from open_end
where
    not exists (from nccl_comm)
    -- ranks that talk by other means
    and not exists (from hccl_error)
    and not exists (from hccl_code)
    and not exists (from coordination_task)
limit 1
