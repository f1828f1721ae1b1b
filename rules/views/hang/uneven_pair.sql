-- table: One row: the one pair of ranks of a communicator that called NCCL's Send and Recv for each
-- other unequally often, where both are heard of and all other pairs agree.
with
    heard_pair as (
        select p.*, count_if(sends <> recvs) over () as uneven_pairs
        from nccl_pair_count p
        where
            (
                select count(*)
                from nccl_rank r
                where
                    r.comm_key = p.comm_key
                    and r.comm_rank in (p.src, p.dst)
                    and r.starts + r.completes > 0
            )
            = 2
    )
select *
from heard_pair
where sends <> recvs and uneven_pairs = 1
