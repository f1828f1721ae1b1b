-- table: What the driver says of GPUs and switches, per minute, GPU and code one row: a storm of a
-- million lines is small from here on. Bad news only: a recovery action that changes to "none" is
-- none.
with
    said as (
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
            case
                when code between 144 and 150
                then not regexp_matches(coalesce(message, ''), '[Nn]on-?[Ff]atal')
            end as fatal,
            case when code between 144 and 150 then nvlink5_said(message) end as said,
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
            kind,
            1 as lines,
            file_id,
            line_no,
            time,
            uptime_seconds,
            host,
            gpu,
            case kind when 'lost' then 79 end as code,
            message
        from nvrm_event
        where kind in ('lost', 'init_failed', 'no_handle') and gpu is not null
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
    ),
    placed as (
        select
            s.*,
            case
                when b.starts is null
                then 0
                else
                    len(
                        list_filter(
                            b.starts,
                            lambda x:x.line_no <= s.line_no
                            and coalesce(x.host, s.host, '') = coalesce(s.host, x.host, '')
                        )
                    )
            end as boot
        from said s
        left join boot_start b on b.file_id = s.file_id
    ),
    minutes as (
        select
            kind,
            file_id,
            host,
            boot,
            coalesce(gpu, gpu_uuid) as printed,
            code,
            fatal,
            recovery,
            previous,
            said.unit as unit,
            said.error_status as error_status,
            case
                when said.unit like 'NETIR_LINK%' then nvlink5_reason(said.intr_info)
            end as reason,
            case
                when time is not null
                then 'wall'
                when uptime_seconds is not null
                then 'boot'
                else 'none'
            end as clock,
            floor(coalesce(epoch(time), uptime_seconds) / 60) as minute,
            sum(lines) as lines,
            min(coalesce(epoch(time), uptime_seconds)) as t,
            max(coalesce(epoch(time), uptime_seconds)) as last_t,
            min(time) as time,
            max(time) as last_time,
            min(uptime_seconds) as uptime_seconds,
            min(line_no, 5) as first_lines,
            any_value(gpu_uuid) as gpu_uuid,
            arg_min(gpu_instance, line_no) as gpu_instance,
            arg_min(compute_instance, line_no) as compute_instance,
            arg_min(message, line_no) as message,
            arg_min(said.link, line_no) as link,
            arg_min(pid, line_no) filter (pid > 0) as pid,
            arg_min(process, line_no) filter (pid > 0) as process
        from placed
        where not (code is not distinct from 154 and kind = 'xid' and recovery = 0)
        group by all
    )
select
    m.* exclude (printed),
    case when m.printed like 'GPU-%' then m.printed else pci_address(m.printed) end as gpu,
    coalesce(m.host, f.otherwise) as machine,
    m.first_lines[1] as line_no,
    case
        when m.kind in ('init_failed', 'no_handle')
        then 'hardware'
        when m.kind = 'sxid'
        then
            case
                when m.code in (10004, 10005, 10006)
                then 'info'
                when m.fatal or m.code = 12028
                then 'hardware'
                else 'info'
            end
        when g.verdict is not null
        then g.verdict
        when c.class = 'hardware' and c.training_run_fatal = 'yes'
        then 'hardware'
        when c.immediate_action = 'restart_app' and c.training_run_fatal = 'yes'
        then 'application'
        else 'info'
    end as verdict,
    case
        when m.kind = 'init_failed'
        then 66
        when m.kind = 'no_handle'
        then 67
        when m.kind = 'sxid'
        then
            case
                when m.code in (10004, 10005, 10006)
                then 130
                when m.fatal and m.code = 19084
                then 52
                when m.fatal
                then 51
                when m.code = 12028
                then 58
                else 130
            end
        when g.root_order is not null
        then g.root_order
        when c.class = 'hardware' and c.training_run_fatal = 'yes'
        then 62
        when c.immediate_action = 'restart_app' and c.training_run_fatal = 'yes'
        then 75
        else 130
    end as root_order,
    case
        when m.kind = 'sxid'
        then
            case
                m.code
                when 20034
                then 'reset GPU; check NVLink'
                when 12028
                then 'restart the job; look at the GPU behind the port'
                else 'reset GPUs and NVSwitches'
            end
        when m.kind = 'init_failed'
        then 'reboot; check the driver version'
        when m.kind = 'no_handle'
        then 'reboot, then diagnose'
        else g.advice
    end as advice,
    case when m.kind = 'sxid' then 'nvlink' else c.class end as class,
    n.action as decoded_action,
    n.investigatory as decoded_investigatory
from minutes m
join kernel_file f using (file_id)
left join xid_triage g on g.code = m.code and m.kind in ('xid', 'lost')
left join xid_catalog c on c.code = m.code and m.kind in ('xid', 'lost')
left join
    nvlink5_code n
    on n.code = m.code
    and m.kind = 'xid'
    and n.unit = m.unit
    and n.fatal = m.fatal
    and n.error_status = m.error_status
    and n.reason is not distinct from m.reason
