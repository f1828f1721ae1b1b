-- table: One row per port that went down or came up, as the kernel saw it. Links come and go while
-- a host boots: what goes down then is left out, as far as the line tells how long the host has
-- been up, or the port has not been up before in that boot. A card that had to be reset since its
-- link was lost, and what a bond tells of its ports, count where the card says nothing itself.
with
    link_event as (
        select
            *,
            kind = 'link_lost' or message ilike '%down' as is_down,
            min(case when not is_down then line_no end) over (
                partition by file_id, host, device, boot
            ) as first_up,
            max(line_no) over (partition by file_id, host, device) as last_line
        from kernel_event_of_boot e
        where
            kind = 'link'
            or kind in ('link_lost', 'bond_link')
            and not exists (
                from kernel_event l
                where l.kind = 'link' and l.device = e.device and l.file_id = e.file_id
            )
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
    kind in ('link', 'bond_link') and is_down and line_no = last_line as stays_down
from link_event
where
    (uptime_seconds > 600 or uptime_seconds is null and (first_up < line_no or kind = 'link_lost'))
    and (kind = 'link_lost' or regexp_matches(message, '(?i)down$|up$|active$'))
