/*
what = '''
{% if tool == 'strace' %}system calls
{%- else %}{{ (ranks or pids) | agree('stack', 'stacks') }}{% endif %} of
{% if ranks %}{{ ranks | ranks }}
{%- elif pids %}{{ pids | agree('process', 'processes') }} {{ pids | names }}
{%- else %}the processes{% endif %}'''
why = "{{ tool }} was refused: the container lacks the capability SYS_PTRACE"
how = '''start the container with --cap-add SYS_PTRACE (Kubernetes:
  securityContext.capabilities.add: [SYS_PTRACE]); or look in from outside, on
  {% if hosts %}{{ hosts | names }}{% else %}its host{% endif %}, where the process has another
  id'''
run = ["sudo py-spy dump --pid PID_ON_THE_HOST"]
order = 5
*/
select tool, ranks, pids, hosts
from attach_refused_by_tool
where reason = 'capability'
order by tool
