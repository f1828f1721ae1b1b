-- table: one row: how many ranks were dumped, and how many of them wait, fail or work. waiting:
-- for peers; failing: could not be dumped; soft: at ordinary work, which proves nothing; hard:
-- at neither. loose: wait for the GPU, which may be at work. is_alive: something moves.
select
    count(*) as n,
    count_if(peer) as waiting,
    count_if(failed) as failing,
    count_if(soft) as soft,
    count_if(not failed and not peer and not soft) as hard,
    count_if(peer and class = 'gpu-sync' and not still) as loose,
    count(rank) as ranked,
    coalesce(bool_or(moved and not failed), false)
    or coalesce((select goes_on from stack_aftermath), false) as is_alive,
    bool_or(peer and class = 'p2p-wait') as is_pipeline,
    bool_or(rank_guessed) as guessed,
    bool_and(role = 'service') as is_idle
from stack_rank
