/*
what  = "NCCL output"
why   = '''{% if nccl_debug %}NCCL_DEBUG was {{ nccl_debug }}; {% endif %}with INFO, NCCL names
  peers, network cards and the rank of every process'''
how   = "for the next run"
run   = ["export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,NET"]
order = 8
*/
select (select min(value) from setting where name = 'NCCL_DEBUG') as nccl_debug
from open_question
where
    not settled
    and (
        in_collective
        or at_init
        or (
            not found
            and exists (from fatal_exception where kind = 'collective' and message like '%NCCL%')
        )
    )
    and not exists (from nccl_comm)
