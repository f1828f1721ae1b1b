/*
title = "A network port went down and came up again"
severity = "critical"
confidence = "definite"
status = "stable"
explains = [
  "network.ib_error",
  "network.peer_lost",
  "network.connect_failure",
  "hang",
  "crash",
  "loss.rollback",
  "perf.slowdown",
]
transient = true
about = """
The port lost its link for a while. Transfers in flight fail if that takes longer than
NCCL_IB_TIMEOUT and NCCL_IB_RETRY_CNT allow. Ports of several hosts that go down within a minute
share a switch: they are one incident.
"""
false_positives = "The switch was restarted on purpose."

[[summary]]
when = "ports"
say = '''{{ ports }} ports of {{ hosts | names }} went down within a minute and came up again:
they share a switch'''

[[summary]]
say = '''Port {{ device or '' }}{% if host %} of {{ host }}{% endif %} went down
{% if times > 1 %}{{ times }} times {% endif %}and came up again'''

[[step]]
when = "ports"
say = '''Look at the switch that these ports share, at that time: its log, its power, a restart
or an update of its software. Then look at the cables between switches.'''
run = ["iblinkinfo", "ibstat"]

[[step]]
when = "not ports"
say = '''Look at the error counters of {{ device or 'the port' }}{% if host %} on
{{ host }}{% endif %} (link downed, symbol errors) and at its switch port; reseat or replace
cable and transceiver. Keep {{ host or 'the host' }} out of jobs while the link flaps.'''
run = [
  "ibstat {{ device if '_' in device else none }}",
  "mlxlink -d {{ device if '_' in device or ':' in device else none }} -m -c -e",
  "ethtool -S {{ device if '_' not in device and ':' not in device else none }}",
  "ethtool -m {{ device if '_' not in device and ':' not in device else none }}",
  "dmesg -T | grep -i link",
]

[[step]]
when = "times > 1 and not ports"
say = "Replace the cable first: a link that went down {{ times }} times seldom heals."
*/
with
    port as (
        select
            host,
            hca,
            boot,
            list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as lines,
            min(time) as first,
            max(time) as last,
            -- each time it comes up again it had gone down, said or not
            coalesce(nullif(count_if(event = 'down'), 0), count_if(event = 'up')) as times,
            min(case when event = 'down' then time end) as went_down
        from link_event
        group by host, hca, boot
        having
            max(case when event = 'up' then time end) > min(case when event = 'down' then time end)
            or max(case when event = 'up' and time is null then (file_id, line_no) end)
            > min(case when event = 'down' and time is null then (file_id, line_no) end)
            -- what only ever comes up, or only ever goes down, did the other in between
            or (count_if(event = 'down') = 0 or count_if(event = 'up') = 0)
            and count(*) >= 3
            and coalesce(
                max(time) - min(time) < interval 1 hour,
                max(uptime_seconds) - min(uptime_seconds) < 3600
            )
    ),
    marked as (
        select
            *,
            coalesce(
                went_down - lag(went_down) over (order by went_down) > interval 1 minute, true
            ) as is_apart
        from port
    ),
    numbered as (
        select
            *,
            case
                when went_down is not null then sum(is_apart::int) over (order by went_down)
            end as moment
        from marked
    ),
    counted as (
        select *, count(distinct host) over (partition by moment) as hosts_at_once from numbered
    ),
    flap as (  -- three hosts at once: what they share
        select *, coalesce(moment is not null and hosts_at_once >= 3, false) as is_shared
        from counted
    )
select
    flatten(
        list(lines[: case when is_shared then 4 else 50 end] order by first, host, hca)
    ) as evidence,
    min(first) as at,
    max(last) as until,
    list(distinct host order by host) filter (host is not null) as hosts,
    case when count(distinct hca) = 1 then any_value(hca) end as device,
    sum(times)::bigint as times,
    case when bool_or(is_shared) then count(*) end as ports
from flap
group by
    case when is_shared then 'moment ' || moment else concat_ws(' ', 'port', host, hca, boot) end
