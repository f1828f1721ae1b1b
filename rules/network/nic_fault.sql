/*
title       = "A network card failed"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["network.ib_error", "network.peer_lost", "network.connect_failure", "hang", "crash.exception", "crash.signal", "loss.rollback", "perf.slowdown"]
explains_same_place = ["network.link_flap"]
about       = "The card's firmware stopped answering, its driver gave up on a command or a transmit queue, its module is too hot or its port went down for good. All traffic through it stops."
remedy      = "Take the node out; look at the firmware (mlxfwmanager), the module and its temperature (mlxlink, ethtool -m), reseat or replace the card; a driver reload seldom lasts."
false_positives = "The driver was reloaded or the firmware updated on purpose at that time."
references  = ["https://docs.kernel.org/networking/device_drivers/ethernet/mellanox/mlx5/devlink.html"]
*/
with
    faults as (
        select host, file_id, line_no, time, device, kind, message
        from kernel_event
        where
            kind in ('nic_fatal', 'nic_stall', 'port_module', 'nic_hot', 'nic_power')
            and not coalesce(message, '') ilike '%unplugged%'
        union all
        -- a port that was up, went down and did not come back while the log went on
        select host, file_id, line_no, time, device, 'port_down', 'port went down and stayed down'
        from kernel_link_event
        where stays_down
    )
select
    format(
        '{}network card {}: {}{}',
        coalesce(host || ': ', ''),
        device,
        arg_min(
            message,
            (
                case
                    kind
                    when 'nic_fatal'
                    then 1
                    when 'nic_stall'
                    then 2
                    when 'port_down'
                    then 3
                    when 'nic_power'
                    then 5
                    else 4
                end,
                line_no
            )
        ),
        case when count(*) > 1 then format(' ({} lines)', count(*)) else '' end
    ) as summary,
    list(line_at(file_id, line_no) order by line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct host) filter (host is not null) as hosts,
    case
        when bool_or(kind = 'nic_fatal')
        then 'critical'
        when bool_and(kind = 'nic_power')
        then 'info'
        -- Ethernet ports are taken down and up by many; with nothing else wrong that is no news.
        when
            bool_and(kind in ('nic_power', 'port_down'))
            and not regexp_matches(device, '^(ib|mlx[45]_|hfi|rdmap)')
            and not exists (from trouble_sign)
        then 'info'
        else 'warning'
    end as severity,
    case when bool_or(kind = 'nic_fatal') then 'definite' else 'probable' end as confidence,
    case
        when bool_and(kind = 'nic_power')
        then
            'Nothing to do while the card works; where it fails, raise the power limit of its slot (BIOS) or move it.'
        when bool_and(kind in ('nic_power', 'port_down'))
        then
            'Find out whether the port was taken down on purpose; if not: cable, transceiver, switch port (ethtool, mlxlink, ibstat).'
        when bool_and(kind in ('nic_power', 'port_down', 'nic_stall'))
        then
            'The driver sets a stuck queue right by itself; if it comes again, look at firmware and driver versions and at the switch (pause frames, PFC storms).'
    end as action,
    device,
    arg_min(message, line_no) as message,
    count(*) as times
from faults
group by host, case when host is null then file_id end, device
