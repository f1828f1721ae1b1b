-- view: One row per bad news of the NVIDIA driver about a GPU or a switch: kind = xid (a line) |
-- sxid (an event of one or more lines) | lost, init_failed, no_handle (nvrm_event). nvlink5 holds
-- the pieces of Xid 144 to 150, recovery the action that Xid 154 asks for, previous the Xid that a
-- 45 names as its cause; boot counts the boots of the machine that this file holds before it.
with
    message as (
        select
            'xid' as kind,
            1 as lines,
            file_id,
            line_no,
            time,
            uptime_seconds,
            host,
            gpu,
            gpu_uuid,
            gpu_instance,
            compute_instance,
            code,
            pid,
            process,
            message,
            code between 144 and 150 as is_nvlink5,
            case
                when is_nvlink5 then not regexp_matches(coalesce(message, ''), '[Nn]on-?[Ff]atal')
            end as fatal,
            case when is_nvlink5 then nvlink5_pieces(message) end as nvlink5,
            case
                when code = 154
                then
                    coalesce(
                        try_cast(
                            '0x' || regexp_extract(message, 'to 0x([0-9a-fA-F]+)', 1) as bigint
                        ),
                        0
                    )
            end as recovery,
            case
                when code = 45
                then
                    try_cast(
                        regexp_extract(message, 'caused by previous Xid ([0-9]+)', 1) as bigint
                    )
            end as previous
        from xid_line
        union all by name
        select
            e.kind,
            1 as lines,
            e.file_id,
            e.line_no,
            coalesce(e.time, n.time) as time,
            coalesce(e.uptime_seconds, n.uptime_seconds) as uptime_seconds,
            coalesce(e.host, n.host) as host,
            coalesce(e.gpu, n.gpu) as gpu,
            case e.kind when 'lost' then 79 end as code,
            e.message
        from nvrm_event as e
        left join
            nvrm_event as n
            on e.gpu is null
            and n.kind = 'named'
            and n.file_id = e.file_id
            and n.line_no between e.line_no - 2 and e.line_no - 1
        where
            e.kind = 'no_handle'
            or (e.kind = 'lost' and coalesce(e.gpu, n.gpu) is not null)
            -- the driver sums up what it has said of each
            or (
                e.kind = 'init_failed'
                and (
                    e.gpu is not null
                    or not exists (
                        from nvrm_event o
                        where
                            o.file_id = e.file_id
                            and o.gpu is not null
                            and o.kind in ('lost', 'init_failed', 'named')
                    )
                )
            )
        union all by name
        select
            'sxid' as kind,
            lines,
            file_id,
            line_no,
            time,
            uptime_seconds,
            host,
            gpu,
            code,
            fatal,
            message
        from sxid
    )
select
    m.* exclude (is_nvlink5),
    case
        when b.starts is null
        then 0
        else
            len(
                list_filter(
                    b.starts,
                    lambda x:x.line_no <= m.line_no
                    and coalesce(x.host, m.host, '') = coalesce(m.host, x.host, '')
                )
            )
    end as boot
from message m
left join boot_start b on b.file_id = m.file_id
-- a recovery action that changes to "none" is good news
where recovery is distinct from 0
