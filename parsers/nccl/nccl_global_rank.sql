-- table: One row per process and GPU: its rank in the job, which is that in the largest
-- communicator. Several of that size tell it where they have the same ranks on the same GPUs (a
-- second group over all ranks, a job that was started again), not where they are parts of a larger
-- job.
with
    largest as (
        select comm_key, nranks
        from nccl_rank
        where nranks = (select max(nranks) from nccl_rank)
        group by comm_key, nranks
        having not bool_or(ambiguous)
    ),
    member as (
        select distinct r.host, r.gpu_index, r.bus_id, r.comm_rank
        from nccl_rank r
        join largest using (comm_key)
    ),
    world as (
        select *
        from largest
        where
            (select count(*) from largest) = 1
            or (
                select
                    count(*) = count(distinct comm_rank)
                    and count(*) = count(distinct(host, gpu_index, bus_id))
                from member
            )
    )
select
    r.host,
    r.pid,
    r.cuda_device,
    r.gpu_index,
    r.bus_id,
    min(r.comm_rank) as rank,
    any_value(w.nranks) as world_size,
    arg_min(r.file_id, r.line_no) as file_id,
    min(r.line_no) as line_no
from nccl_rank r
join world w using (comm_key)
group by all
