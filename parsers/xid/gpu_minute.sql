-- table: One row per minute, GPU or switch, and code of what the driver says of them: a storm of a
-- million lines is small from here on. verdict, root_order and advice as in xid_triage.
with
    minute as (
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
            nvlink5.unit as unit,
            nvlink5.error_status as error_status,
            case
                when nvlink5.unit like 'NETIR_LINK%' then nvlink5_reason(nvlink5.intr_info)
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
            arg_min(nvlink5.link, line_no) as link,
            arg_min(pid, line_no) filter (pid > 0) as pid,
            arg_min(process, line_no) filter (pid > 0) as process
        from driver_message
        group by all
    ),
    catalogued as (
        select
            m.*,
            case when m.kind = 'sxid' then 'nvlink' else c.class end as class,
            case
                when c.training_run_fatal <> 'yes'
                then null
                when c.class = 'hardware'
                then 'hardware'
                when c.immediate_action = 'restart_app'
                then 'application'
            end as verdict_of_class
        from minute m
        left join xid_catalog c on m.kind in ('xid', 'lost') and c.code = m.code
    ),
    judged as (
        select
            m.* exclude (verdict_of_class),
            coalesce(
                d.verdict,
                k.verdict,
                case
                    when m.kind = 'sxid' then case when m.fatal then 'hardware' else 'info' end
                end,
                x.verdict,
                m.verdict_of_class,
                'info'
            ) as verdict,
            case
                when m.kind = 'sxid' and d.verdict is null and not m.fatal
                then 130
                else
                    coalesce(
                        d.root_order,
                        k.root_order,
                        x.root_order,
                        case
                            m.verdict_of_class when 'hardware' then 62 when 'application' then 75
                        end,
                        130
                    )
            end as root_order,
            coalesce(d.advice, k.advice, x.advice) as advice
        from catalogued m
        left join xid_triage x on m.kind in ('xid', 'lost') and x.code = m.code
        left join driver_triage d on d.kind = m.kind and d.code = m.code
        left join driver_triage k on k.kind = m.kind and k.code is null
    )
select
    m.* exclude (printed),
    case when m.printed like 'GPU-%' then m.printed else pci_address(m.printed) end as gpu,
    coalesce(m.host, f.otherwise) as machine,
    m.first_lines[1] as line_no,
    n.action as decoded_action,
    n.investigatory as decoded_investigatory
from judged m
join kernel_file f using (file_id)
left join
    nvlink5_code n
    on m.kind = 'xid'
    and n.code = m.code
    and n.unit = m.unit
    and n.fatal = m.fatal
    and n.error_status = m.error_status
    and n.reason is not distinct from m.reason
