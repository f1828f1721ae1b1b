/*
title = "Heat or power slowed down a GPU or switch"
severity = "warning"
confidence = "definite"
status = "stable"
explains = ["perf.slowdown"]
lasting = true
about = """
A GPU or switch lowered its clocks or its links because of heat or of its power supply, or a host
shut down because it was too hot.
"""
false_positives = "A software power cap that was set on purpose."
references = ["https://docs.nvidia.com/deploy/nvidia-smi/index.html"]

summary = '''
{% if host %}{{ host }}: {% endif %}
{% if kind == 'switch' %}NVSwitch {{ device }} is too hot (SXid {{ sxid }})
{%- elif kind == 'shutdown' %}{{ device }} reached its critical temperature and the host shut down
{%- elif kind == 'sensor' %}{{ device }}: {{ reason }} (event log of the BMC)
{%- elif kind == 'told' %}{{ reason | cut(160) }}
{%- elif kind == 'dcgm' %}GPU {{ device }} lowers its clocks because of heat, according to DCGM
{%- else %}GPU {{ device }}{% if ranks %} ({{ ranks | ranks }}){% endif %} slows down:
{{ reason }} is active{% endif %}
'''

[[step]]
when = "kind == 'power'"
say = '''
Check the power supplies{% if host %} of {{ host }}{% endif %} and the power cables of the GPU: the
board asks it to draw less.
'''
run = [
  "ipmitool sdr type 'Power Supply'",
  "nvidia-smi -q -d POWER,PERFORMANCE -i {{ device | bus_id }}",
]

[[step]]
when = "kind in ('heat', 'dcgm')"
say = '''
Compare the temperature with that of the other GPUs{% if host %} of {{ host }}{% endif %}: one hot
GPU has a
bad contact or heat sink, all of them lack air or coolant.
'''
run = [
  "nvidia-smi --query-gpu=index,pci.bus_id,temperature.gpu,clocks.sm --format=csv",
  "nvidia-smi -q -d TEMPERATURE,PERFORMANCE -i {{ device | bus_id }}",
]

[[step]]
when = "kind != 'power'"
say = '''
Check fans, air flow and liquid loop of {% if host %}{{ host }}{% else %}the node{% endif %} and of
its neighbours in the rack.
'''
run = ["ipmitool sdr type Fan", "ipmitool sdr type Temperature"]

[[step]]
when = "host"
say = "Leave {{ host }} out until it stays cool under load."
run = ["@leave_out [host]", "dcgmi diag -r targeted_power,targeted_stress"]
*/
with
    event as (
        select
            host,
            file_id,
            line_no,
            time,
            gpu as device,
            'switch' as kind,
            code as sxid,
            null as reason,
            'warning' as severity
        from sxid
        where code in (10004, 10006)
        union all by name
        select host, file_id, line_no, time, device, 'shutdown' as kind, 'critical' as severity
        from kernel_event
        where kind = 'thermal_shutdown'
        union all by name
        select
            host,
            file_id,
            line_no,
            coalesce(time, made) as time,
            sensor as device,
            'sensor' as kind,
            event as reason,
            case when contains(event, 'ecoverable') then 'critical' else 'warning' end as severity
        from
            (
                -- of an entry with a line for each field, its time is above
                select s.*, case when s.line_no - c.line_no < 16 then c.time end as made
                from sensor_event s
                asof left join board_entry c on c.file_id = s.file_id and s.line_no >= c.line_no
            ) as e
        where
            state = 'Asserted'
            and event in ('Upper Critical going high', 'Upper Non-recoverable going high')
            and contains(lower(sensor), 'temp')
            -- it cooled down again
            and not exists (
                from sensor_event b
                where
                    b.file_id = e.file_id
                    and (b.line_no, b.time) > (e.line_no, e.time)
                    and b.sensor = e.sensor
                    and b.event = e.event
                    and b.state = 'Deasserted'
            )
        union all by name
        select
            host,
            file_id,
            line_no,
            time,
            gpu as device,
            'told' as kind,
            message as reason,
            'critical' as severity
        from told_failure
        where kind = 'heat'
        union all by name
        select
            host,
            file_id,
            line_no,
            time,
            gpu as device,
            case when key like '%Power Brake%' then 'power' else 'heat' end as kind,
            key as reason,
            'warning' as severity
        from gpu_state
        where verdict = 'throttled'
        union all by name
        select
            host,
            file_id,
            line_no,
            time,
            gpu_index::varchar as device,
            'dcgm' as kind,
            'warning' as severity
        from dcgm_health
    ),
    per_device as (
        select
            host,
            device,
            arg_min(e, (severity, file_id, line_no)) as first_event,
            count(*) as times,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence,
            min(time) as "at",
            max(time) as until
        from event e
        group by host, device
    )
select
    evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    case
        when
            first_event.kind in ('heat', 'power', 'dcgm')
            or first_event.kind = 'told'
            and device is not null
        then [device]
        else []
    end as gpus,
    first_event.severity as severity,
    case when first_event.kind = 'told' then 'probable' end as confidence,
    first_event.kind as kind,
    first_event.reason as reason,
    first_event.sxid as sxid,
    device,
    times
from per_device
