/*
what = "kernel log of {{ host }}"
why = '''
{% if is_lost %}its last lines and its management controller say why it went down
{%- else %}it says whether the GPU, the network card or the OOM killer was the reason{% endif %}'''
run = [
  "{% if not is_lost %}ssh {{ host }} sudo dmesg -T > dmesg.{{ host }}.txt{% endif %}",
  "{% if is_lost %}ssh {{ host }} sudo journalctl -k -b -1 > dmesg.{{ host }}.txt{% endif %}",
  "{% if is_lost %}ssh {{ host }} sudo ipmitool sel elist > sel.{{ host }}.txt{% endif %}",
]
order = 3
*/
select host, bool_or(rule = 'host.node_lost') as is_lost
from blamed_host
where host not in (select host from kernel_log_host where host is not null)
group by host
order by host
