/*
title       = "A network port went down and came up again"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains   = ["network.ib_error", "network.peer_lost", "network.connect_failure", "hang", "crash", "loss.rollback", "perf.slowdown"]
transient = true
about       = "The port lost its link for a while. Transfers in flight run into their retry limit if that takes longer than NCCL_IB_TIMEOUT and NCCL_IB_RETRY_CNT allow. Ports of several hosts that go down within a minute hang on one switch: they are one incident."
remedy      = "Reseat or replace cable and transceiver of that port, look at its counters (link_downed, symbol errors) and at the switch port; keep the node out of jobs while it flaps."
false_positives = "The switch was restarted on purpose."
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
            count(case when event = 'down' then 1 end) as times,
            min(case when event = 'down' then time end) as went_down
        from link_event
        group by host, hca, boot
        having
            max(case when event = 'up' then time end) > min(case when event = 'down' then time end)
            or max(case when event = 'up' and time is null then (file_id, line_no) end)
            > min(case when event = 'down' and time is null then (file_id, line_no) end)
    ),
    marked as (
        select
            *,
            coalesce(
                went_down - lag(went_down) over (order by went_down) > interval 1 minute, true
            ) as apart
        from port
    ),
    moments as (
        select
            *,
            case
                when went_down is not null then sum(apart::int) over (order by went_down)
            end as moment
        from marked
    ),
    places as (
        select *, count(distinct host) over (partition by moment) as hosts_at_once from moments
    )
select
    case
        when bool_or(together)
        then
            format(
                'ports of {} hosts ({}{}) went down within a minute and came up again: the switch they share',
                count(distinct host),
                array_to_string(list(distinct host order by host)[:4], ', '),
                case when count(distinct host) > 4 then ', ...' else '' end
            )
        else
            format(
                'port {} of {} went down{}{}',
                coalesce(any_value(hca), '?'),
                coalesce(any_value(host), 'a host'),
                case when sum(times) > 1 then ' ' || sum(times)::bigint || ' times' else '' end,
                ' and came up again'
            )
    end as summary,
    flatten(
        list(lines[: case when together then 4 else 50 end] order by first, host, hca)
    ) as evidence,
    min(first) as at,
    max(last) as until,
    list(distinct host order by host) filter (host is not null) as hosts,
    case
        when bool_or(together)
        then
            'Look at the switch that these ports share at that time (its log, power, a restart or an update of its software), then at the cables between.'
    end as action,
    case when count(distinct hca) = 1 then any_value(hca) end as device,
    sum(times)::bigint as times,
    case when bool_or(together) then count(*) end as ports
from (select *, coalesce(moment is not null and hosts_at_once >= 3, false) as together from places)
group by
    case when together then 'moment ' || moment else concat_ws(' ', 'port', host, hca, boot) end
