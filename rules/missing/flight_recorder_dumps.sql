/*
what = "Flight Recorder dumps"
why = "they say for every rank which collective it entered last"
how = "for the next run, with LOGS a folder that outlives it"
run = ['''export TORCH_NCCL_TRACE_BUFFER_SIZE=2000 TORCH_NCCL_DUMP_ON_TIMEOUT=1
  TORCH_NCCL_DEBUG_INFO_TEMP_FILE=LOGS/nccl_trace_rank_''']
order = 6
*/
select in_collective
from open_question
where
    in_collective
    and not settled
    and not exists (from flight_rank)
    and not exists (from coordination_task)
    -- gloo has no recorder
    and (select bool_and(source = 'gloo') from c10d_timeout_line) is not true
union all
-- all wait, and stacks do not tell for whom
select true as in_collective
from stack_overview
where
    finding in ('same_wait', 'other_waits')
    and stands_still
    and not exists (from open_question)
    and not exists (from flight_rank)
