/*
title = "The job as its scheduler lists it"
severity = "info"
confidence = "definite"
status = "stable"
about = """
Number, name and last known state of the job, as squeue, sacct, scontrol or a watchdog of the queue
list it. Where many jobs are listed, only those that the name of a file in the run names.
"""
false_positives = "It is context only: a queue lists other people's jobs too."
references = ["https://slurm.schedmd.com/sacct.html"]
summary = '''
Job {{ job }}{% if job_name %} ({{ job_name }}){% endif %}: {{ state }}
{%- if exit_code %}, exit code {{ exit_code }}{% endif %}
{%- if nodes %}, on {{ nodes }}{% endif %}'''
*/
with
    latest as (
        select *, count(*) over () as jobs
        from job_seen
        where job is not null
        qualify
            row_number() over (
                partition by job order by time desc nulls last, file_id, line_no desc
            )
            = 1
    )
select
    [line_at(file_id, line_no)] as evidence,
    time as "at",
    job,
    job_name,
    state,
    nullif(exit_code, '0:0') as exit_code,
    case when not starts_with(nodes, '(') then nodes end as nodes
from latest
where
    jobs <= 3
    or exists (from file as f where contains(f.path, regexp_extract(latest.job, '^[0-9]+')))
