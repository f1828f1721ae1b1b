-- table: One row per port that went down or came up, as the kernel saw it. Links come and go while
-- a host boots: what goes down then is left out, as far as the line tells how long the host has
-- been up, or the port has not been up before in that boot.
with
    link_event as (
        select
            *,
            message ilike '%down' as is_down,
            min(case when not message ilike '%down' then line_no end) over (
                partition by file_id, host, device, boot
            ) as first_up,
            max(line_no) over (partition by file_id, host, device) as last_line
        from kernel_event_of_boot
        where kind = 'link'
    )
select
    file_id,
    line_no,
    time,
    uptime_seconds,
    host,
    device,
    boot,
    case when is_down then 'down' else 'up' end as event,
    is_down and line_no = last_line as stays_down
from link_event
where
    (uptime_seconds > 600 or (uptime_seconds is null and first_up < line_no))
    and regexp_matches(message, '(?i)down$|up$|active$')
