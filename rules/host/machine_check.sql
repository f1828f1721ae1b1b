/*
title       = "A host's memory, processor or PCIe reported an uncorrected error"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang", "network.peer_lost", "crash.signal", "loss.rollback", "perf.slowdown"]
explains_same_place = ["host.kernel_panic", "host.node_lost"]
transient = true
about       = "The hardware found an error it could not correct. The kernel kills the process whose memory is lost (SIGBUS) or stops the host. Corrected errors are left out: they are counted by every healthy machine."
remedy      = "Take the node out, read the DIMM or slot out of the event log of its BMC (ipmitool sel list) or rasdaemon, replace it."
false_positives = "Errors injected by a test (einj)."
references  = ["https://docs.kernel.org/admin-guide/ras.html"]
*/
with
    sections as (
        select s.file_id, s.message as section, max(o.line_no) as line_no
        from kernel_event s
        join
            kernel_event o
            on o.file_id = s.file_id
            and o.line_no < s.line_no
            and o.kind = 'mce'
            and o.message in ('fatal', 'recoverable')
        where s.kind = 'ghes_section'
        group by all
    ),
    faults as (
        select
            e.*,
            s.section,
            case
                when e.kind = 'pcie_fatal' or s.section ilike '%pcie%'
                then 'pcie'
                when e.kind = 'memory_ue' or s.section ilike '%memory%'
                then 'memory'
                else 'processor'
            end as what
        from kernel_event_of_boot e
        left join sections s on s.file_id = e.file_id and s.line_no = e.line_no
        where
            e.kind in ('mce', 'memory_ue', 'pcie_fatal')
            and not (e.message = 'recoverable' and coalesce(s.section, '') ilike '%pcie%')
    ),
    grouped as (
        select
            host,
            boot,
            case when host is null then file_id end as own_file,
            arg_min(
                f, (case what when 'memory' then 1 when 'processor' then 2 else 3 end, line_no)
            ) as first,
            count(*) as times,
            min(time) as "at",
            max(time) as until,
            list(line_at(file_id, line_no) order by line_no)[1:20] as evidence,
            any_value(pid) as pid,
            any_value(process) filter (process is not null) as process
        from faults f
        group by all
    ),
    below as (  -- GPUs that the driver could not bring back with the port they are behind
        select
            c.host,
            c.first.file_id as file_id,
            c.boot,
            list_sort(list(distinct pci_address(g.device))) as gpus_below
        from grouped c
        join
            kernel_event g
            on g.kind = 'pcie_gpu'
            and g.file_id = c.first.file_id
            and g.host is not distinct from c.host
            and abs(g.line_no - c.first.line_no) <= 40
        group by all
    )
select
    concat(
        coalesce(grouped.host || ': ', ''),
        case
            first.what
            when 'memory'
            then 'uncorrected memory error'
            when 'pcie'
            then
                'fatal PCIe error at '
                || coalesce(first.device, 'a port')
                || case
                    when len(gpus_below) > 0
                    then ', above GPU ' || array_to_string(gpus_below, ', ')
                    else ''
                end
            else 'uncorrected machine check'
        end,
        case
            when first.what <> 'pcie' and first.device is not null
            then ' (' || first.device || ')'
            else ''
        end,
        case
            when process is not null then format(', {} (pid {}) was killed', process, pid) else ''
        end
    ) as summary,
    evidence,
    "at",
    until,
    case when grouped.host is not null then [grouped.host] else [] end as hosts,
    case when first.what = 'pcie' then gpus_below end as gpus,
    case
        when first.what = 'pcie' and len(gpus_below) > 0
        then
            'Take the node out: reseat the GPU and its riser or cable, see that its power is connected, and run a diagnosis (dcgmi diag -r 3); exchange the GPU if the error comes again.'
    end as action,
    -- A GPU that leaves the bus takes its port with it: then the GPU is the incident.
    case
        when first.what = 'pcie'
        then
            case
                when
                    exists (
                        select 1
                        from gpu_burst b
                        where
                            b.verdict = 'hardware'
                            and (b.host = grouped.host or b.host is null or grouped.host is null)
                    )
                then 'info'
                else 'warning'
            end
    end as severity,
    case when first.what = 'pcie' then 'probable' end as confidence,
    first.what as part,
    first.device as device,
    process,
    pid,
    times,
    first.message as message
from grouped
left join
    below b
    on b.file_id = first.file_id
    and b.host is not distinct from grouped.host
    and b.boot = grouped.boot
