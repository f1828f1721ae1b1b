/*
what = '''
output of {% if rank is not none %}rank {{ rank }}{% else %}local rank {{ local_rank }}{% endif %}
{%- if host %} on {{ host }}{% endif %}'''
why = "it ended with exit code {{ exitcode }}, and these logs do not say why"
how = '''
copy its stdout and stderr here, and have the next run keep the output of every rank
{%- if launcher not in ('srun', 'mpirun') %}
{{- ', with @record of torch.distributed.elastic around main(): the exception is then' }}
{{- ' in error.json' }}
{%- endif %}'''
run = [
  '''{% if launcher not in ('srun', 'mpirun') %}
  torchrun --log-dir LOGS --redirects 3 --tee 3{% endif %}''',
  "{% if launcher not in ('torchelastic', 'mpirun') %}srun --output=job.%t.out{% endif %}",
  "{% if launcher == 'mpirun' %}mpirun --output-filename LOGS{% endif %}",
]
order = 1
*/
-- The launcher names the process first by its local rank, and by its rank in the table below.
with
    ended as (
        select
            e.* exclude (rank),
            coalesce(e.rank, max(e.rank) over (partition by e.file_id, e.pid)) as rank
        from "exit" e
    )
select e.rank, e.local_rank, short_host(e.host) as host, e.exitcode, e.source as launcher
from ended e, open_question q
where
    not q.settled
    and coalesce(e.rank, e.local_rank) is not null
    and e.exitcode between 1 and 127
    and not exists (
        from exception_verdict x where x.rank = e.rank or (x.rank is null and x.kind <> 'echo')
    )
order by e.first_observed desc nulls last, e.rank is null, e.time nulls last, e.rank
limit 1
