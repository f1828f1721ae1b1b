/*
what = "{{ silent_ranks | agree('log', 'logs') }} of {{ silent_ranks | ranks }}"
why = '''the job has {{ world_size | count('rank') }}, and nothing here was written by
  {{ silent_ranks | agree('this one', 'these') }}'''
how = "copy {{ silent_ranks | agree('its log', 'their logs') }} into the run directory"
order = 7
*/
select j.silent_ranks, j.world_size
from job_size j, open_question q
where
    (q.hangs or q.network)
    and not q.settled
    and len(j.silent_ranks) > 0
    and not exists (from suspect_rank where silent)
