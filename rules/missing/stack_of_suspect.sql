/*
what = "{{ ranks | agree('stack', 'stacks') }} of {{ ranks | ranks }}"
why = '''{{ ranks | agree('it shows what this rank does', 'they show what these ranks do') }}
  instead of joining the others'''
how = '''
while it hangs{% if not host %}, on {{ ranks | agree('its host', 'their hosts') }}{% endif %}'''
run = [
  '''{% if host %}
  ssh {{ host }} 'pgrep -f YOUR_SCRIPT | xargs -I {} sudo py-spy dump --pid {}'
  > pyspy.{{ host }}.txt{% endif %}''',
  '''{% if not host %}
  pgrep -f YOUR_SCRIPT | xargs -I {} sudo py-spy dump --pid {} > pyspy.$(hostname).txt
  {%- endif %}''',
]
order = 5
*/
select s.ranks, case when len(s.hosts) = 1 then s.hosts[1] end as host
from suspect_without_stack s, open_question q
where q.hangs and not q.at_init
