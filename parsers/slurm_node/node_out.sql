-- table: One row per node that Slurm keeps out of work and why: `class` of the reason (lost | stuck
-- | gpu | health), `of_the_job` where the node takes part in what else is logged. Nodes that are
-- out by plan, or for a reason nobody knows, are left out.
with
    said as (
        select
            file_id,
            line_no,
            time,
            unnest(node_names(nodes)) as host,
            coalesce(state, '') as state,
            reason
        from node_state
    ),
    classed as (
        select
            s.*,
            coalesce(
                (
                    select arg_min(r.class, r.rowid)
                    from slurm_node_reason as r
                    where contains(lower(s.reason), r.part)
                ),
                'unknown'
            ) as class
        from said as s
    ),
    job_host as (
        select short_host(h.host) as host
        from host as h
        union
        select unnest(node_names(nodes))
        from job_state
        where nodes not like '(%'
    )
select
    c.file_id,
    c.line_no,
    c.time,
    c.host,
    nullif(c.state, '') as state,
    c.reason,
    c.class,
    short_host(c.host) in (select host from job_host) as of_the_job
from classed as c
where c.class not in ('planned', 'unknown')
