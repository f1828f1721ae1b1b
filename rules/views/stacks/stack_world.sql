-- table: one row: how many ranks the job has, as far as stacks and logs tell.
select
    greatest(
        (select max(rank) + 1 from stack_rank),
        (select max(rank) + 1 from stack_known_rank),
        (select max(world_size) from stack_partial),
        (select max(world_size) from identity where learnt_from = 'rank and pid in a line'),
        (select max(world_size) from stack_main),
        (select count(*) from stack_rank)
    ) as world_size
