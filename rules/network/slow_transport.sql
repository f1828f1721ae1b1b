/*
title = "NCCL uses a slow transport"
severity = "warning"
confidence = "probable"
status = "stable"
lasting = true
about = """
Nodes talk over TCP sockets although a training job needs RDMA, some GPUs of a job lack the direct
path that the others have, a setting keeps the GPUs of a host from reading each other's memory, or
nvidia-smi topo -m shows slower links between the GPUs of one node than on the others.
Sockets alone are a note only where nothing tells that something faster is there, or was looked for.
"""
false_positives = """
The cluster has nothing faster than Ethernet without RDMA, and that is known; the setting was made
on purpose, on GPUs or boards whose direct path does not work.
"""
references = ["https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"]

[[summary]]
when = "reason == 'no_gpudirect'"
say = '''{{ hosts | names }} {{ hosts | agree('reaches', 'reach') }} the network without
GPUDirect RDMA, which {{ host_with_gpudirect }} has'''

[[summary]]
when = "reason == 'iommu'"
say = '''RCCL misses {{ parameters | names }} on the kernel's command line
{%- if hosts %} of {{ hosts | names }}{% endif %}: with an IOMMU that translates, GPUs exchange data
slowly or hang'''

[[summary]]
when = "reason == 'topology'"
say = '''The GPUs of {{ hosts | names }} are linked by {{ ways | names }}, where those of the other
nodes have {{ usual_ways | names }}: {{ pairs | names(most=6) }}'''

[[summary]]
when = "reason == 'provider'"
say = '''The network plugin of NCCL uses TCP (libfabric's provider {{ network }})
{%- if hosts %} on {{ hosts | names }}{% endif %}'''

[[summary]]
when = "reason == 'direct_path_off'"
say = '''{{ setting }} is set{% if hosts %} on {{ hosts | names }}{% endif %}: its GPUs exchange
data through {{ 'the network' if via == 'NET' else 'the memory of the host' }} instead of directly
(NVLink or PCIe)'''

[[summary]]
say = '''{% if nnodes %}{% if nranks %}{{ nranks | count('rank') }} on {% endif %}{{ nnodes }}
nodes{% else %}Processes{% endif %} talk over TCP sockets
{%- if interfaces %} on InfiniBand's {{ interfaces | names(most=4) }}{% endif %}
{%- if reason == 'no_device' %}: NCCL found no InfiniBand or RoCE device
{%- elif reason == 'setting' %}: {{ setting }} is set
{%- elif reason == 'ip_over_ib' %}: the fabric is there, and nothing uses RDMA
{%- elif reason == 'rdma_unused' %}, though RDMA devices were found
{%- elif reason == 'plugin_failed' %}: the network plugin {{ plugin }} could not start{% endif %}'''

[[step]]
when = "reason == 'setting'"
say = '''Remove {{ setting }} from the environment of the job, unless somebody set it to get
around a broken fabric: find out who, and why.'''
run = ["env | grep NCCL_", "cat /etc/nccl.conf ~/.nccl.conf"]

[[step]]
when = "reason == 'ip_over_ib'"
say = """Find out why NCCL did not use the fabric behind {{ interfaces | names(most=4) }} by RDMA:
within the container, the RDMA devices and their user libraries have to be there too."""
run = ["ibv_devices", "ls -l /dev/infiniband", "export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET"]

[[step]]
when = "reason == 'provider'"
say = '''See which providers libfabric finds{% if hosts %} on {{ hosts | names }}{% endif %}: where
the nodes have EFA, Slingshot or another fast network, its provider could not be used. Within a
container its devices and libraries have to be there too.'''
run = ["fi_info -l", "fi_info -p efa", "ls /dev/infiniband"]

[[step]]
when = "reason == 'iommu'"
say = '''Have the administrator boot {% if hosts %}{{ hosts | names }}{% else %}the nodes{% endif
%}
with the IOMMU in pass-through mode (GRUB_CMDLINE_LINUX), as AMD asks for Instinct GPUs since MI300;
older ones run with the IOMMU off in the BIOS.'''
run = ["cat /proc/cmdline", "rocminfo | grep -i iommu"]

[[step]]
when = "reason == 'topology'"
say = '''Leave {{ hosts | names }} out, and look at the state of its NVLinks and at the fabric
manager; a reboot may bring the links back, else the board is to be repaired. PCIe ways (PIX, PHB,
NODE, SYS) that differ are a matter of slots and BIOS settings.'''
run = [
  "@leave_out hosts",
  "nvidia-smi nvlink -s",
  "journalctl -u nvidia-fabricmanager",
  "nvidia-smi topo -m",
]

[[step]]
when = "reason == 'direct_path_off'"
say = '''Run once without {{ setting }}. If that hangs or is wrong, the direct path itself is
broken: test it, and look for PCIe access control (ACS) and an IOMMU that translates.'''
run = [
  "env | grep NCCL_",
  "cat /etc/nccl.conf ~/.nccl.conf",
  "nvidia-smi topo -p2p r",
  "nvidia-smi topo -m",
]

[[step]]
when = "reason == 'no_device'"
say = '''Check on {{ hosts[0] if hosts else 'a node' }}, inside the container, that the RDMA
devices can be seen: they need /dev/infiniband and the RDMA user libraries there. On EFA the
plugin aws-ofi-nccl is needed as well.'''
run = ["ibv_devices", "ls -l /dev/infiniband", "env | grep NCCL_IB_"]

[[step]]
when = "reason == 'plugin_failed'"
say = '''Find out why the plugin {{ plugin }} could not start: it must be built for this NCCL
and CUDA, and its libraries must be found.'''
run = ["ldconfig -p | grep -i -E 'nccl-net|libfabric|sharp'", "export NCCL_DEBUG_SUBSYS=INIT,NET"]

[[step]]
when = "reason == 'no_gpudirect'"
say = '''Compare {{ hosts | names }} with {{ host_with_gpudirect }}: the module nvidia_peermem (or
DMA-BUF support of the driver), PCIe access control (ACS), and where GPU and network card are
plugged in.'''
run = ["lsmod | grep nvidia_peermem", "nvidia-smi topo -m", "lspci -vvv | grep -i ACSCtl"]

[[step]]
otherwise = true
say = '''Find out why RDMA was not used: run once with the choice of the network in the log, and
look whether the RDMA devices and the network plugin (libnccl-net.so, aws-ofi-nccl) are there.'''
run = ["export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET", "ibv_devices", "env | grep NCCL_"]
*/
with
    -- the interfaces that InfiniBand shows to TCP, by the names that the kernel and udev give
    ip_over_ib as (
        select
            file_id,
            line_no,
            list_distinct(
                regexp_extract_all(
                    message, '\[[0-9]+\](ib(?:[0-9]+|[ps][0-9][0-9a-z]*)(?:\.[0-9a-f]+)?):', 1
                )
            ) as interfaces
        from nccl_network
        where event = 'devices' and network = 'Socket' and len(interfaces) > 0
    ),
    rdma_off as (
        select file_id, line_no, name, value
        from setting
        where name = 'NCCL_IB_DISABLE' and value = '1' or name = 'NCCL_NET' and value ilike 'socket'
    ),
    slow as (
        from socket_traffic
        where
            nnodes > 1
            -- part of a log: somebody turned a fabric off that is there
            or nnodes is null
            and exists (from rdma_off)
            and exists (from ip_over_ib)
    ),
    why as (  -- the most telling first
        select line_at(file_id, line_no) as place, 'setting' as reason, 0 as weight, name, value
        from rdma_off
        union all by name
        select line_at(file_id, line_no) as place, 'ip_over_ib' as reason, 4 as weight, interfaces
        from ip_over_ib
        union all by name
        select line_at(file_id, line_no) as place, 'rdma_unused' as reason, 3 as weight
        from nccl_network
        where event = 'devices' and network = 'IB'
        union all by name
        select line_at(file_id, line_no) as place, 'no_device' as reason, 1 as weight
        from nccl_network
        where event = 'no_device' and network = 'IB'
        union all by name
        select line_at(file_id, line_no) as place, 'plugin_failed' as reason, 2 as weight, network
        from nccl_network
        where event = 'plugin_failed'
        union all by name
        select
            line_at(file_id, line_no) as place,
            'plugin_failed' as reason,
            2 as weight,
            'aws-ofi-nccl' as network
        from nccl_warning
        where starts_with(message, 'NET/OFI Couldn''t find any optimal provider')
    ),
    known_reason as (
        select
            arg_min(reason, weight) as reason,
            arg_min(name || '=' || value, weight) filter (reason = 'setting') as setting,
            arg_min(network, weight) filter (reason = 'plugin_failed') as plugin,
            list_sort(list_distinct(flatten(list(interfaces)))) as interfaces,
            list(place order by weight)[:3] as places
        from why
    ),
    gpudirect as (  -- GPUs that lack GPUDirect RDMA where others of the job have it
        select host, bool_or(gdr) as has_gdr, arg_min(line_at(file_id, line_no), line_no) as place
        from transport
        where kind = 'NET' and network not in ('', 'Socket')
        group by host
    )
select
    list_concat(
        list(line_at(s.file_id, s.line_no) order by s.file_id, s.line_no)[:10],
        coalesce(any_value(k.places), [])
    ) as evidence,
    list(distinct s.host order by s.host) filter (s.host <> '') as hosts,
    'Socket' as network,
    max(s.nranks) as nranks,
    max(s.nnodes) as nnodes,
    any_value(k.reason) as reason,
    case when any_value(k.reason) = 'setting' then any_value(k.setting) end as setting,
    case when any_value(k.reason) = 'plugin_failed' then any_value(k.plugin) end as plugin,
    nullif(any_value(k.interfaces), []) as interfaces,
    case
        when max(s.nnodes) is null
        then 'probable'
        when any_value(k.reason) is not null
        then 'definite'
        else 'probable'
    end as confidence,
    -- A job that ended in a failure did not fail of being slow.
    case
        when
            exists (from trouble_sign)
            or exists (from nccl_socket where event in ('closed_by_peer', 'io_failed'))
            or exists (from connect_failure)
            -- nothing says that there is anything faster
            or any_value(k.reason) is null
        then 'info'
    end as severity
from slow s
cross join known_reason k
having count(*) > 0
union all by name
select
    list(place order by has_gdr) as evidence,
    list(host order by host) filter (not has_gdr) as hosts,
    'no_gpudirect' as reason,
    min(host) filter (has_gdr) as host_with_gpudirect,
    'probable' as confidence
from gpudirect
having count(*) filter (not has_gdr) between 1 and count(*) filter (has_gdr)
union all by name
select
    list_concat(
        list(line_at(file_id, line_no) order by file_id, line_no)[:10], list(distinct edge_line)[:4]
    ) as evidence,
    list(distinct host order by host) filter (host <> '') as hosts,
    'direct_path_off' as reason,
    string_agg(distinct name || '=' || value, ', ') as setting,
    max(via) as via,
    'possible' as confidence,
    case when exists (from trouble_sign) then 'info' end as severity
from direct_path_off
having count(*) > 0
union all by name
-- the plugin is there for something faster
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
    list(distinct host order by host) filter (host <> '') as hosts,
    'provider' as reason,
    min(network) as network,
    'probable' as confidence,
    case when exists (from trouble_sign) then 'info' end as severity
from nccl_network
where event = 'plugin_on_sockets'
having count(distinct host) > 1
union all by name
select
    evidence,
    [host] as hosts,
    'topology' as reason,
    pairs,
    ways,
    usual_ways,
    'definite' as confidence
from gpu_link_odd
union all by name
-- RCCL says so at every start of such a machine: worth a look where the job hung.
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
    list(distinct host order by host) filter (host <> '') as hosts,
    'iommu' as reason,
    list(distinct parameter order by parameter) as parameters,
    'possible' as confidence,
    case
        when not exists (from c10d_timeout_line) and not exists (from job_silent) then 'info'
    end as severity,
    [] as explains
from kernel_parameter_missed
having count(*) > 0
