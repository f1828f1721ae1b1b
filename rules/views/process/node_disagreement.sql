-- table: One row where the launcher waits for another number of nodes than the job has: `launched`
-- and `allocated`, by Slurm itself or, in the same script, by what it asks for. Several numbers of
-- one kind (scripts of several jobs) tell nothing.
with
    allocation as (
        select
            min(nnodes) as nnodes,
            arg_min(line_at(file_id, line_no), (source = 'script', file_id, line_no)) as line
        from node_count
        where
            source = 'allocation'
            or (
                source = 'script'
                and not exists (from node_count where source = 'allocation')
                and file_id in (select file_id from node_count where source = 'launcher')
            )
        having count(distinct nnodes) = 1
    ),
    launch as (
        select min(nnodes) as nnodes, arg_min(line_at(file_id, line_no), (file_id, line_no)) as line
        from node_count
        where source = 'launcher'
        having count(distinct nnodes) = 1
    )
select l.nnodes as launched, a.nnodes as allocated, [l.line, a.line] as evidence
from launch as l
cross join allocation as a
where
    l.nnodes <> a.nnodes
    -- with fewer than it has a job runs well, if it does
    and (l.nnodes > a.nnodes or exists (from trouble_sign))
    and not exists (from metric_span)
