/*
what = '''
{% if tool == 'strace' %}system calls
{%- else %}{{ (ranks or pids) | agree('stack', 'stacks') }}{% endif %} of
{% if ranks %}{{ ranks | ranks }}
{%- elif pids %}{{ pids | agree('process', 'processes') }} {{ pids | names }}
{%- else %}the processes{% endif %}'''
why = "{{ tool }} was refused: another debugger holds {{ pids | agree('it', 'them') }}"
how = "see which one does (TracerPid), or look in without stopping the process"
run = [
  "grep TracerPid /proc/{{ pid or 'PID' }}/status",
  "py-spy dump --nonblocking --pid {{ pid or 'PID' }}",
]
order = 5
*/
select tool, ranks, pids, pid from attach_refused_by_tool where reason = 'traced' order by tool
