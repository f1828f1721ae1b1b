/*
title = "A host's memory, processor or PCIe reported errors"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["hang", "network.peer_lost", "crash.signal", "loss.rollback", "perf.slowdown"]
explains_same_place = ["host.kernel_panic", "host.node_lost"]
transient = true
about = """
The hardware found an error it could not correct. The kernel kills the process whose memory is lost
(SIGBUS) or stops the host. Of corrected errors every healthy machine counts some; told of is a
memory module that has hundreds of them a day, or, as possible, one that has them again and again;
and a processor that itself calls those of its cache too many.
"""
false_positives = "Errors injected by a test (einj)."
references = ["https://docs.kernel.org/admin-guide/ras.html", "https://mcelog.org/config.html"]

[[summary]]
when = "corrected and part == 'processor'"
say = '''
{% if host %}{{ host }}: {% endif %}cache of CPU {{ device }} (bank {{ bank }}) is failing: its
corrected errors passed the limit
'''

[[summary]]
when = "corrected"
say = '''
{% if host %}{{ host }}: {% endif %}memory module{% if dimm %} {{ dimm }}{% endif %} is failing:
{% if errors %}{{ errors | count('error') }} {{ errors | agree('was', 'were') }} corrected
{%- if within_a_day %} within a day{% endif %}
{%- if limit_passed %}, more than the limit{% endif %}
{%- else %}its corrected errors passed the limit{% endif %}
'''

[[summary]]
say = '''
{% if host %}{{ host }}: {% endif %}
{% if part == 'memory' %}uncorrected memory error{% if dimm or device %}
({{ dimm or device }}){% endif %}
{%- elif part == 'pcie' %}fatal PCIe error at {{ device or 'a port' }}
{%- if port %}, below port {{ port }}{% endif %}
{%- else %}uncorrected machine check
{%- if device %} ({% if device.isdigit() %}CPU {% endif %}{{ device }}){% endif %}{% endif %}
{%- if process %}, {{ process }} (pid {{ pid }}) was killed{% endif %}
'''

[[step]]
when = "severity != 'info' and not corrected"
say = '''
Take {% if host %}{{ host }}{% else %}the node{% endif %} out of the pool and run the job again
without it.
'''
run = [
  "@drain ([host], part ~ '_error')",
  "@leave_out [host]",
]

[[step]]
when = "part == 'pcie' and severity == 'info'"
say = "Look at the GPU first: one that leaves the bus takes its port with it."
run = ["dmesg -T | grep -E 'Xid|AER'"]

[[step]]
when = "corrected"
say = '''
Let the job end, then take {% if host %}{{ host }}{% else %}the node{% endif %} out of the pool: so
far nothing was lost, but what has so many errors often has one soon that cannot be corrected.
'''
run = ["@drain ([host], 'memory_errors')"]

[[step]]
when = "part == 'memory'"
say = '''
Replace {% if dimm %}memory module {{ dimm }}{% else %}the memory module{% endif %}; the event log
of the board management controller {{ 'should name the same one' if dimm else 'tells its slot' }}.
'''
run = ["ipmitool sel elist", "ras-mc-ctl --errors", "edac-util -v"]

[[step]]
when = "part == 'processor'"
say = '''
Decode the machine check and look at the event log of the board management controller: it tells
which processor, cache or bus to replace.
'''
run = ["ras-mc-ctl --errors", "ipmitool sel elist", "dmesg -T | grep -iE 'mce|hardware error'"]

[[step]]
when = "part == 'pcie' and severity != 'info'"
say = '''
{% if port %}Reseat {{ device }}, and replace it{% else %}See which device is below the port, reseat
it, and replace it{% endif %} or its slot if the error comes again.
'''
run = ["lspci -tv", "lspci -vvs {{ device }}", "dmesg -T | grep -iE 'aer|pcieport'"]
*/
with
    host_fault as (
        select
            host,
            boot,
            case when host is null then file_id end as own_file,
            arg_min(
                f, (case part when 'memory' then 1 when 'processor' then 2 else 3 end, line_no)
            ) as first,
            count(*) as times,
            min(time) as "at",
            max(time) as until,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence,
            any_value(pid) as pid,
            any_value(process) filter (process is not null) as process
        from machine_fault f
        group by all
    ),
    placed as (  -- without what a GPU or a drive behind the port is told of
        select h.*, h.first.part = 'pcie' as is_pcie
        from host_fault h
        where
            not (
                is_pcie
                and exists (
                    from gpu_failure_port g
                    where
                        g.boot is not distinct from h.boot
                        and g.hosts[1] is not distinct from h.host
                )
            )
            and not (
                is_pcie
                and exists (
                    from drive_off_bus d
                    where
                        d.port = h.first.device
                        and d.boot is not distinct from h.boot
                        and d.host is not distinct from h.host
                )
            )
    )
select
    evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    -- A GPU that leaves the bus takes its port with it: then the GPU is the incident.
    case
        when not is_pcie
        then null
        when
            exists (
                from gpu_burst b
                where
                    b.verdict = 'hardware'
                    and (b.host = placed.host or b.host is null or placed.host is null)
            )
        then 'info'
        else 'warning'
    end as severity,
    case when is_pcie then 'probable' end as confidence,
    first.part as part,
    coalesce(first.origin, first.device) as device,
    case when first.origin <> first.device then first.device end as port,
    coalesce(
        nullif(regexp_extract(first.message, '[A-Za-z0-9_#]*DIMM[A-Za-z0-9_#]+'), ''),
        (
            select coalesce(min_by(m.device, m.line_no), min_by(m.message, m.line_no))
            from kernel_event m
            where
                m.kind = 'ghes_module'
                and m.file_id = first.file_id
                and m.line_no - first.line_no between 0 and 20
        )
    ) as dimm,
    process,
    pid,
    times,
    first.message as message
from placed
union all by name
select
    evidence,
    "at",
    until,
    case when f.host is not null then [f.host] else [] end as hosts,
    'warning' as severity,
    case when within_a_day and not is_few then 'probable' else 'possible' end as confidence,
    ['perf.slowdown'] as explains,
    'memory' as part,
    true as corrected,
    module as dimm,
    errors::bigint as errors,
    within_a_day,
    limit_passed
from failing_memory f
where
    not exists (
        from host_fault h where h.host is not distinct from f.host and h.first.part = 'memory'
    )
union all by name
select
    list(line_at(file_id, line_no) order by line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct host) filter (host is not null) as hosts,
    'warning' as severity,
    'probable' as confidence,
    ['perf.slowdown'] as explains,
    'processor' as part,
    true as corrected,
    true as limit_passed,
    arg_min(device, line_no) as device,
    regexp_extract(arg_min(message, line_no), 'Bank ([0-9]+)', 1)::bigint as bank,
    count(*) as times,
    arg_min(message, line_no) as message
from kernel_event_of_boot
where kind = 'mce_limit'
group by host, boot, case when host is null then file_id end
having count(*) > 1
