/*
what = '''
{% if tool == 'strace' %}system calls
{%- else %}{{ (ranks or pids) | agree('stack', 'stacks') }}{% endif %} of
{% if ranks %}{{ ranks | ranks }}
{%- elif pids %}{{ pids | agree('process', 'processes') }} {{ pids | names }}
{%- else %}the processes{% endif %}'''
why = "{{ tool }} was refused for lack of permission"
how = '''attach as root{% if hosts %} on {{ hosts | names }}{% endif %} (a container needs
  --cap-add SYS_PTRACE), or set ptrace_scope to 0 and attach as its own user
  {%- if tool != 'py-spy' %}; where TracerPid is not 0, another debugger holds it{% endif %}'''
run = [
  '''{% if tool == 'strace' %}
  sudo strace -f -ttt -T -yy -p {{ pid or 'PID' }} -o strace.{{ pid or 'PID' }}.log{% endif %}''',
  '''{% if tool == 'gdb' %}
  sudo gdb -p {{ pid or 'PID' }} -batch -ex 'thread apply all bt'
  > gdb.{{ pid or 'PID' }}.txt{% endif %}''',
  '''{% if tool == 'py-spy' %}
  sudo env "PATH=$PATH" py-spy dump --pid {{ pid or 'PID' }}
  > pyspy.{{ pid or 'PID' }}.txt{% endif %}''',
  "sudo sysctl kernel.yama.ptrace_scope=0",
  "{% if tool != 'py-spy' %}grep TracerPid /proc/{{ pid or 'PID' }}/status{% endif %}",
]
order = 5
*/
select tool, ranks, pids, pid, hosts
from attach_refused_by_tool
where reason = 'permission'
order by tool
