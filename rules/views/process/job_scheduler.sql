-- table: What started the job, one row where it is known: the scheduler that most lines speak of.
-- A container runtime, a cloud or a framework that starts processes is none.
select scheduler
from
    (
        select scheduler
        from scheduler_event
        where
            scheduler in (
                'slurm',
                'kubernetes',
                'pbs',
                'lsf',
                'flux',
                'htcondor',
                'grid engine',
                'cobalt',
                'oar'
            )
        union all
        select 'kubernetes' as scheduler
        from pod_place
        union all
        select 'slurm' as scheduler
        from node_state
        union all
        select 'slurm' as scheduler
        from job_seen
    )
group by scheduler
order by count(*) desc, scheduler
limit 1
