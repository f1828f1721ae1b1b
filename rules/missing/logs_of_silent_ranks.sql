/*
what = '''
{{ ranks | agree('log', 'logs') }} of {{ ranks | ranks }}
{%- if hosts %} on {{ hosts | names }}{% endif %}'''
why = '''the others are waiting for {{ ranks | agree('it', 'them') }}, and nothing here was
  written by {{ ranks | agree('it', 'them') }}'''
how = '''copy {{ ranks | agree('its', 'their') }} output here; if nothing was started there, see
  what the scheduler has recorded of {{ ranks | agree('its host', 'their hosts') }}'''
order = 1
*/
select
    list(rank order by rank) as ranks,
    coalesce(list(distinct host order by host) filter (host is not null), []) as hosts
from suspect_rank
where silent
having count(*) > 0
