-- table: One row per line in which a scheduler or orchestrator says what became of the job of this
-- run. The log of a controller or of a node's daemon also tells of the jobs of others: it counts
-- only for the jobs that files of the run are of, where these are known. To a user log of HTCondor
-- all submissions append: what became of one counts until another one, submitted later, has ended.
with
    -- submissions that came to an end
    condor_run as (
        select file_id, min(line_no) as submitted_line
        from htcondor_event
        where code in (0, 5)
        group by file_id, cluster
        having min(code) = 0 and max(code) = 5
    ),
    superseded as (
        select e.file_id, e.line_no
        from scheduler_event e
        semi join condor_run r on r.file_id = e.file_id and r.submitted_line > e.line_no
        where e.scheduler = 'htcondor'
    ),
    -- what HTCondor says below the head of an event is of the job that the head names
    placed as (
        select
            s.* replace (
                case
                    when s.scheduler = 'htcondor'
                    then coalesce(s.job, h.cluster::varchar)
                    else s.job
                end as job
            )
        from scheduler_event s
        asof left join htcondor_event h on h.file_id = s.file_id and s.line_no >= h.line_no
    ),
    told as (
        select
            *,
            regexp_extract(job, '^[0-9]+') as base,
            exists (from training_line t where t.file_id = placed.file_id)
            or exists (from launcher_event l where l.file_id = placed.file_id)
            or exists (from traceback_end x where x.file_id = placed.file_id) as in_output
        from placed
    ),
    named as (
        select distinct base
        from told
        where base <> ''
        union
        select distinct regexp_extract(job, '^[0-9]+')
        from job_seen
        where job is not null
    ),
    own as (
        select base
        from named
        where
            base <> ''
            and exists (
                from file f
                where regexp_matches(f.path, '(?:slurm|job)[-_.]?0*' || base || '(?:[^0-9]|$)')
            )
        union
        select regexp_extract(path, '(?:^|/)slurm-0*([0-9]+)(?:_[0-9]+)?\.(?:out|err|log)$', 1)
        from file
        where regexp_matches(path, '(?:^|/)slurm-[0-9]+(?:_[0-9]+)?\.(?:out|err|log)$')
        union
        select base
        from told
        where in_output and base <> ''
    )
select
    told.* exclude (base, in_output) replace (
        -- the report of a batch job names it at its head
        coalesce(told.job, case when told.scheduler in ('lsf', 'pbs') then r.job end) as job,
        case
            when told.scheduler = 'kubernetes' and told.event in ('node_failure', 'pressure')
            then coalesce(told.host, n.node)
            -- what became of an actor is told below where it ran
            when told.scheduler = 'ray' and told.event = 'node_failure'
            then
                coalesce(
                    nullif(told.host, ''), case when told.line_no - a.line_no < 5 then a.host end
                )
            -- and the host above the reason, the script of the job between them
            when told.scheduler in ('lsf', 'pbs')
            then
                coalesce(
                    nullif(told.host, ''), case when told.line_no - b.line_no < 300 then b.nodes end
                )
            else nullif(told.host, '')
        end as host
    )
from told
asof left join described_node n on n.file_id = told.file_id and told.line_no >= n.line_no
asof left join
    (select file_id, line_no, host from "exit" where source = 'ray') a
    on a.file_id = told.file_id
    and told.line_no >= a.line_no
asof left join
    (select file_id, line_no, nodes from job_state where nodes is not null) b
    on b.file_id = told.file_id
    and told.line_no >= b.line_no
asof left join
    (select file_id, line_no, job from job_state where job is not null and state is null) r
    on r.file_id = told.file_id
    and told.line_no >= r.line_no
where
    (told.file_id, told.line_no) not in (select (file_id, line_no) from superseded)
    and (
        in_output
        or coalesce(base, '') = ''
        or not exists (from own)
        or exists (from own o where o.base = told.base)
    )
