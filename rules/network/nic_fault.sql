/*
title = "A network card failed"
severity = "critical"
confidence = "definite"
status = "stable"
explains = [
  "network.ib_error",
  "network.peer_lost",
  "network.connect_failure",
  "hang",
  "crash.exception",
  "crash.signal",
  "loss.rollback",
  "perf.slowdown",
]
explains_same_place = ["network.link_flap", "host.storage"]
lasting = true
about = """
The card's firmware stopped answering, its driver gave up on a command or a transmit queue, its
module is too hot or its port went down for good. All traffic through it stops.
"""
false_positives = "The driver was reloaded or the firmware updated on purpose at that time."
references = [
  "https://docs.kernel.org/networking/device_drivers/ethernet/mellanox/mlx5/devlink.html",
]
summary = '''
{% set kind = kinds[0] %}
{% if kind == 'port_down' %}Port{% else %}Network card{% endif %} {{ device }}
{%- if host %} of {{ host }}{% endif %}
{%- if kind == 'port_down' %} went down and stayed down
{%- elif kind == 'nic_hot' %} is too hot: {{ message | cut(120) }}
{%- elif kind == 'nic_power' %} gets too little power: {{ message | cut(120) }}
{%- elif kind in ('nic_fatal', 'nic_told') %} failed: {{ message | cut(120) }}
{%- elif message %}: {{ message | cut(120) }}{% endif %}
{%- if times > 1 %} ({{ times }} lines){% endif %}'''

[[step]]
when = "refuses_driver"
say = '''Bring driver and firmware of {{ device }}{% if host %} on {{ host }}{% endif %} together:
the card answered, and the driver could not use what it offers. Update the firmware, or take the
driver that it was released with.'''
run = ["mlxfwmanager --query", "ofed_info -s; modinfo -F version mlx5_core", "@leave_out [host]"]

[[step]]
when = "('nic_fatal' in kinds or 'nic_told' in kinds) and not refuses_driver"
say = '''Take {{ host or 'the host' }} out of the pool: the firmware of {{ device }} stopped
answering. Reset or replace the card; a driver reload seldom lasts.'''
run = [
  "@leave_out [host]",
  "mlxfwmanager --query -d {{ device if 'mlx' in (driver or '') and ':' in device else none }}",
  "devlink health show",
  "dmesg -T | grep -i {{ driver or device }}",
]

[[step]]
when = "'nic_hot' in kinds or 'port_module' in kinds"
say = '''Check the temperature and the module of {{ device }}{% if host %} on
{{ host }}{% endif %}: airflow, fans, transceiver; reseat or replace the module.'''
run = [
  "mlxlink -d {{ device if '_' in device or ':' in device else none }} -m",
  "mget_temp -d {{ device if '_' in device or ':' in device else none }}",
  "ethtool -m {{ device if '_' not in device and ':' not in device else none }}",
]

[[step]]
when = "kinds[0] == 'nic_stall'"
say = '''Compare firmware and driver of {{ device }}{% if host %} on {{ host }}{% endif %} with
a healthy host, and look at pause frames on the switch (PFC storms). The driver resets a stuck
queue by itself; act if it comes again.'''
run = [
  "ethtool -i {{ device if '_' not in device and ':' not in device else none }}",
  "ethtool -S {{ device if '_' not in device and ':' not in device else none }}",
]

[[step]]
when = "kinds[0] == 'port_down'"
say = '''Find out whether {{ device }}{% if host %} on {{ host }}{% endif %} was taken down on
purpose. If not, check cable, transceiver and switch port.'''
run = [
  "ip -br link show {{ device if '_' not in device and ':' not in device else none }}",
  "ethtool {{ device if '_' not in device and ':' not in device else none }}",
  "ibstat",
]

[[step]]
when = "kinds[0] == 'nic_power'"
say = '''Leave it while the card works. If it fails, raise the power limit of its slot (BIOS) or
move it to another slot.'''
run = ["lspci -vv -s {{ device }} | grep -i power"]
*/
with
    fault as (
        select host, file_id, line_no, time, device, process as driver, kind, message
        from kernel_event
        where
            kind in ('nic_fatal', 'nic_stall', 'port_module', 'nic_hot', 'nic_power')
            and not coalesce(message, '') ilike '%unplugged%'
        union all
        -- a port that sleeps says so too, but sends nothing that could time out
        select host, file_id, line_no, time, device, process, 'nic_fatal', message
        from kernel_event g
        where
            kind = 'nic_gone'
            and exists (
                from kernel_event s
                where
                    s.kind = 'nic_stall'
                    and s.device = g.device
                    and s.file_id = g.file_id
                    and s.line_no > g.line_no
            )
        union all
        select host, file_id, line_no, time, device, driver, 'nic_told', message
        from told_failure
        where kind = 'network_card'
        union all
        -- a port that was up, went down and did not come back while the log went on
        select host, file_id, line_no, time, device, null, 'port_down', null
        from kernel_link_event
        where stays_down
    ),
    known_kind(kind, weight) as (  -- the worst first
        values
            ('nic_fatal', 1),
            ('nic_told', 2),
            ('port_module', 3),
            ('nic_hot', 4),
            ('nic_stall', 5),
            ('port_down', 6),
            ('nic_power', 7)
    ),
    weighed as (select * from fault join known_kind using (kind))
select
    list(line_at(file_id, line_no) order by line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list(distinct host) filter (host is not null) as hosts,
    case
        when bool_or(kind in ('nic_fatal', 'nic_told'))
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
    device,
    any_value(driver) as driver,
    list_filter(
        (select list(kind order by weight) from known_kind), lambda k:list_contains(list(w.kind), k)
    ) as kinds,
    arg_min(message, (weight, line_no)) as message,
    -- EINVAL at probe; a card that does not answer gives ETIMEDOUT or EIO
    nullif(
        bool_or(regexp_matches(message, '(?:code|error) -22$'))
        and bool_and(
            regexp_matches(
                message, '^(?:mlx5_(?:load|init)_one |handle_hca_cap |failed with error -22$)'
            )
        ),
        false
    ) as refuses_driver,
    count(*) as times
from weighed w
group by host, case when host is null then file_id end, device
