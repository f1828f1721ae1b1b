/*
title       = "A GPU, its memory, its link or its firmware failed"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["gpu.application", "gpu.cuda_error", "hang", "network", "divergence", "crash", "host.preempted", "loss.rollback", "perf.slowdown"]
transient = true
about       = """
The driver reported a fault that no program causes: the GPU left the bus, its memory has an uncorrectable error, its firmware stopped answering, an
NVLink broke. All work on that GPU is lost; every other rank of the job then waits for it or sees its connections close. Of several codes in one
burst (less than three minutes apart) the one that causes the others is named; 43, 45 and 154 only follow.
"""
remedy      = "Take the node out of the pool, reset the GPU (nvidia-smi -r) or reboot, run a diagnosis (dcgmi diag -r 3) before it comes back; open a repair ticket if it comes again."
false_positives = "The log is from an earlier boot or another time than the job's; someone reset the GPU or unloaded the driver on purpose."
references  = ["https://docs.nvidia.com/deploy/xid-errors/", "https://docs.nvidia.com/deploy/gpu-debug-guidelines/"]
*/
with
    apart as (
        select
            *,
            coalesce(root_kind = 'sxid' or class = 'nvlink', false) as fabric,
            coalesce(
                t - max(last_t) over (
                    partition by root_kind, root_code
                    order by clock, t
                    rows between unbounded preceding and 1 preceding
                )
                > 180,
                true
            ) as is_new,
            coalesce(
                clock = 'wall'
                and t - max(last_t) over (
                    partition by machine, gpu, clock
                    order by t
                    rows between unbounded preceding and 1 preceding
                )
                > 43200,
                false
            ) as is_another_day,
            count(distinct machine || clock) over (partition by root_kind, root_code)
            = 1 as one_machine
        from gpu_burst
        where verdict = 'hardware'
    ),
    bursts as (
        select
            *,
            -- A fabric fault shows on every machine of the fabric at once; everything else
            -- belongs to one GPU.
            case
                when not fabric
                then
                    machine
                    || coalesce(gpu, '')
                    || ' '
                    || count_if(is_another_day) over (partition by machine, gpu, clock order by t)
                when one_machine
                then root_kind || root_code
                else
                    root_kind
                    || root_code
                    || case
                        when clock = 'wall'
                        then
                            ' ' || count_if(is_new) over (
                                partition by root_kind, root_code order by clock, t
                            )
                        else machine
                    end
            end as what
        from apart
    ),
    merged as (
        select
            what,
            arg_min(
                b,
                (
                    case when b.t is null then 1 else 0 end,
                    case when b.root_code is null then 1 else 0 end,
                    b.t
                )
            ) as r,
            nullif(count(t), 0) as bursts,
            sum(lines)::bigint as lines,
            min(time) as at,
            max(last_time) as until,
            list_distinct(flatten(list(gpus))) as gpus,
            list(distinct host) filter (host is not null) as hosts,
            list_sort(list_distinct(flatten(list(xids)))) as xids,
            list_sort(list_distinct(flatten(list(sxids)))) as sxids,
            arg_max(recovery_action, (coalesce(last_t, 0), line_no)) filter (
                recovery_action is not null
            ) as recovery_action,
            bool_or(memory) as memory,
            flatten(list(evidence order by t))[1:20] as evidence,
            list(distinct machine) as machines
        from bursts b
        group by what
    ),
    named as (
        -- poison that came with a refused access over NVLink, and no word of a broken memory
        -- cell, need not be a memory error
        select
            m.*,
            coalesce(
                r.root_code = 94
                and list_contains(xids, 137)
                and not list_has_any(xids, [48, 63, 64, 95, 140, 160, 171, 172]),
                false
            ) as over_nvlink,
            n.gpu_uuid,
            n.serial,
            case
                when n.file_id is not null then [line_at(n.file_id, n.line_no)] else []
            end as name_evidence,
            c.short_meaning,
            c.immediate_action,
            c.investigatory_action,
            c.mnemonic,
            s.short_meaning as s_meaning,
            s.mnemonic as s_mnemonic,
            q.suppressed
        from merged m
        left join
            (
                select coalesce(e.host, f.otherwise) as machine, sum(e.count)::bigint as suppressed
                from kernel_event e
                join kernel_file f using (file_id)
                where e.kind = 'suppressed'
                group by all
            ) q
            on q.machine = m.r.machine  -- the kernel and the journal drop lines of floods: what is counted is the least there was
        left join
            (
                select
                    machine,
                    gpu,
                    any_value(gpu_uuid) as gpu_uuid,
                    any_value(serial) as serial,
                    min(file_id) as file_id,
                    min(line_no) as line_no
                from gpu_name
                group by all
            ) n
            on n.machine = m.r.machine
            and n.gpu = m.r.gpu
        left join xid_catalog c on m.r.root_kind in ('xid', 'lost') and c.code = m.r.root_code
        left join sxid_catalog s on m.r.root_kind = 'sxid' and s.code = m.r.root_code
    ),
    nvidia as (
        select
            concat(
                case when r.root_kind = 'sxid' then 'NVSwitch ' else 'GPU ' end,
                r.gpu,
                case
                    when len(hosts) > 0
                    then
                        ' of '
                        || array_to_string(list_sort(hosts)[1:5], ', ')
                        || case when len(hosts) > 5 then ' and others' else '' end
                    else ''
                end,
                ': ',
                case
                    r.root_kind
                    when 'sxid'
                    then
                        'SXid '
                        || r.root_code
                        || ', '
                        || coalesce(s_meaning, r.message, 'not in the catalogue')
                    when 'init_failed'
                    then 'the driver cannot initialise it (' || r.message || ')'
                    when 'no_handle'
                    then 'nvidia-smi cannot reach it (' || r.message || ')'
                    else
                        'Xid '
                        || r.root_code
                        || ', '
                        || coalesce(short_meaning, 'not in the catalogue')
                end,
                case
                    when r.unit <> ''
                    then
                        format(
                            ' ({}{}{})',
                            r.unit,
                            case
                                when r.link not like '-%'
                                then ', link ' || try_cast(r.link as bigint)
                                else ''
                            end,
                            case
                                when r.link_down_reason > 0
                                then ', reason ' || r.link_down_reason
                                else ''
                            end
                        )
                    else ''
                end,
                case
                    when lines > 1
                    then
                        format(
                            ' ({}{} lines{})',
                            case when suppressed > 0 then 'at least ' else '' end,
                            lines,
                            case when bursts > 1 then format(' in {} bursts', bursts) else '' end
                        )
                    else ''
                end
            ) as summary,
            flatten([evidence, name_evidence]) as evidence,
            "at",
            until,
            hosts,
            case when r.root_kind = 'sxid' then [] else gpus end as gpus,
            case
                when over_nvlink
                then 'possible'
                when
                    r.root_kind in ('init_failed', 'no_handle')
                    or r.root_code in (61, 12028, 57, 58, 59)
                    or (r.root_code between 144 and 150 and not r.fatal)
                then 'probable'
                else 'definite'
            end as confidence,
            case
                when r.root_code in (61, 12028) or r.root_kind in ('init_failed')
                then 'warning'
                else 'critical'
            end as severity,
            upper(left(r.advice, 1))
            || substr(r.advice, 2)
            || case
                when len(hosts) > 0
                then ' on ' || array_to_string(list_sort(hosts)[1:5], ', ')
                else ''
            end
            || case
                when r.root_code = 12028
                then '; watch whether it comes again.'
                when over_nvlink
                then
                    '. Accesses over NVLink were refused at the same time (Xid 137): look first at the counters of nvidia-smi -q -d ECC. Without an uncorrectable error there, a program reached for memory of another GPU that is not there (any more): find the rank that ended or failed first.'
                else '; take the node out of the pool until a diagnosis (dcgmi diag -r 3) passes.'
            end
            || case
                when recovery_action is not null
                then
                    ' The driver asks for: ' || case
                        recovery_action
                        when 1
                        then 'GPU reset'
                        when 2
                        then 'node reboot'
                        when 3
                        then 'drain of P2P work'
                        when 4
                        then 'drain and reset'
                        when 5
                        then 'recovery of the IMEX domain'
                        else 'action ' || recovery_action
                    end
                    || '.'
                else ''
            end
            || case
                when r.decoded_investigatory like 'investigate_peer%'
                then
                    ' This end only saw it: the device at the other end of the link went down, look there first.'
                when r.decoded_investigatory like 'investigate_link_si%'
                then ' The signal on the link was lost: check its cables and connectors.'
                when r.decoded_investigatory like 'investigate_sw%'
                then ' Software or a person took the link down: find out who.'
                when r.decoded_investigatory like 'sympathetic%'
                then ' Usually the echo of another error of the fabric: look for that one.'
                else ''
            end
            || case
                when r.decoded_investigatory is null and investigatory_action <> ''
                then
                    ' NVIDIA''s catalogue, to find out why: '
                    || replace(investigatory_action, '_', ' ')
                    || '.'
                else ''
            end as action,
            'nvidia' as vendor,
            case when r.root_kind <> 'sxid' then r.root_code end as xid,
            xids,
            case when len(sxids) > 0 then sxids end as sxids,
            r.root_code as root_code,
            r.gpu as pci,
            gpu_uuid,
            serial as board_serial,
            nullif(r.advice, '') as recommended_action,
            immediate_action,
            coalesce(mnemonic, s_mnemonic) as mnemonic,
            case
                when r.root_code in (94, 95)
                then
                    nullif(
                        trim(
                            regexp_extract(
                                r.message, '(?:Contained|Uncontained): ([A-Za-z0-9/ ]+?) ?[(.]', 1
                            )
                        ),
                        ''
                    )
                else nullif(r.unit, '')
            end as unit,
            case
                regexp_extract(r.message, '[^-]RST: (Yes|No)', 1)
                when 'Yes'
                then true
                when 'No'
                then false
            end as rst,
            case
                regexp_extract(r.message, 'D-RST: (Yes|No)', 1)
                when 'Yes'
                then true
                when 'No'
                then false
            end as d_rst,
            case
                when r.root_kind = 'sxid' or r.root_code between 144 and 150
                then case when r.fatal then 'fatal' when not r.fatal then 'non-fatal' end
            end as error_severity,
            r.gpu_instance as gpu_instance,
            r.compute_instance as compute_instance,
            recovery_action,
            memory,
            try_cast(
                nullif(regexp_extract(r.message, '[Ll]ink ([0-9]+)', 1), '') as bigint
            ) as link,
            r.link_down_reason as link_down_reason,
            nullif(r.error_status, '') as error_status,
            r.decoded_action as sub_code_action,
            r.decoded_investigatory as sub_code_investigation,
            nullif(regexp_extract(r.message, 'physAddr:? (0x[0-9a-fA-F]+)', 1), '') as phys_addr,
            case
                when r.root_code in (119, 120)
                then
                    nullif(regexp_extract(r.message, '\((GSP_[A-Z_]+|[A-Z][A-Z0-9_]{5,})\)', 1), '')
            end as rpc_function,
            case when r.root_code not in (119, 120) then r.any_pid end as pid,
            case when r.root_code not in (119, 120) then r.any_process end as process,
            strftime("at", '%Y-%m-%dT%H:%M:%S') as first_time,
            lines,
            bursts,
            suppressed as suppressed_lines,
            null::varchar as error,
            null::bigint as event_id
        from named
    ),
    service as (  -- repairs that are due: context, no job ends by them
        select
            format('GPU {}: Xid {}, {}', gpu, root_code, any_value(c.short_meaning)) as summary,
            flatten(list(evidence))[1:10] as evidence,
            min(time) as at,
            max(last_time) as until,
            list(distinct host) filter (host is not null) as hosts,
            [gpu] as gpus,
            'definite' as confidence,
            'info' as severity,
            'No job ends by this. '
            || upper(left(any_value(advice), 1))
            || substr(any_value(advice), 2)
            || '.' as action,
            'nvidia' as vendor,
            root_code as xid,
            list_distinct(flatten(list(xids))) as xids,
            root_code,
            gpu as pci,
            sum(lines)::bigint as lines
        from gpu_burst b
        left join xid_catalog c on c.code = b.root_code
        where verdict = 'service'
        group by machine, gpu, root_code
    ),
    amd as (
        select
            coalesce(
                arg_min(a.gpu, a.line_no) filter (kind = 'ras'), arg_min(a.gpu, a.line_no)
            ) as gpu,
            any_value(a.host) as host,
            arg_min(error, a.line_no) filter (error is not null) as error,
            any_value(block) filter (block is not null) as block,
            any_value(event_id) as event_id,
            min(time) as at,
            max(time) as until,
            list(distinct kind) as kinds,
            count(*) as lines,
            list(line_at(a.file_id, a.line_no) order by a.line_no)[1:20] as evidence,
            arg_min(message, a.line_no) as message
        from amdgpu_event a
        where
            kind in ('ras', 'ras_count', 'reset_failed', 'hw_exception', 'init_failed')
            or (
                kind in ('reset', 'scheduler_hung')
                and (kind = 'reset' or a.gpu is not null)
                and not exists (
                    select 1
                    from amdgpu_event o
                    where
                        o.file_id = a.file_id
                        and o.kind in ('ring_timeout', 'page_fault', 'ras', 'ras_count')
                        and o.line_no < a.line_no
                )
            )
        group by coalesce(event_id::varchar, a.gpu, ''), a.host, a.file_id
    )
select *
from nvidia
union all by name
select *
from service
union all by name
select
    concat(
        'AMD GPU ',
        gpu,
        case when host is not null then ' of ' || host else '' end,
        ': ',
        case
            when error is not null
            then 'uncorrectable hardware error ' || error
            when list_contains(kinds, 'ras_count')
            then 'uncorrectable hardware errors in block ' || coalesce(block, '?')
            when list_contains(kinds, 'reset_failed')
            then 'the driver could not reset it'
            when list_contains(kinds, 'init_failed')
            then 'the driver cannot bring it up (' || message || ')'
            when list_contains(kinds, 'hw_exception')
            then 'hardware exception, ' || message
            when list_contains(kinds, 'scheduler_hung')
            then
                'the scheduler in its firmware does not answer any more' || case
                    when list_contains(kinds, 'reset')
                    then ', and the driver reset it: all programs on it lost their memory'
                    else ''
                end
            else 'the driver reset it; all programs on it lost their memory'
        end
    ) as summary,
    evidence,
    "at",
    until,
    case when host is not null then [host] else [] end as hosts,
    case
        when gpu is null then [] when gpu like 'node%' then [gpu] else [pci_address(gpu)]
    end as gpus,
    case
        when
            error is not null
            or list_contains(kinds, 'ras_count')
            or list_contains(kinds, 'reset_failed')
        then 'definite'
        when list_contains(kinds, 'scheduler_hung')
        then 'possible'
        else 'probable'
    end as confidence,
    case when kinds = ['init_failed'] then 'warning' else 'critical' end as severity,
    case
        when list_contains(kinds, 'scheduler_hung') and not list_contains(kinds, 'ras')
        then
            'Run the job again with the newest GPU firmware and amdgpu driver; where it hangs on this node only, take the node out and diagnose the GPU (rvs), else look for a kernel that does not end.'
        else
            'Take the node out of the pool, reboot it and run a diagnosis (rvs, amd-smi ras); replace the GPU if the error comes again.'
    end as action,
    'amd' as vendor,
    case when gpu not like 'node%' then pci_address(gpu) end as pci,
    error,
    event_id,
    block as unit,
    coalesce(block = 'umc', false) as memory,
    lines
from amd
union all by name
-- An Xid tells which GPU it is; where there is none, the driver's own count of its GPUs is all
-- that is known.
select
    format(
        '{}{}: its firmware (GSP) does not answer the driver',
        coalesce('GPU ' || gpu_index || ', as the driver counts', 'a GPU'),
        coalesce(' on ' || host, '')
    ) as summary,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:10] as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] else [] end as hosts,
    'probable' as confidence,
    'critical' as severity,
    'Reset the GPU or reboot the node, and take it out of the pool until a diagnosis (dcgmi diag -r 3) passes; nvidia-smi -q tells which GPU cannot be reached.'
    as action,
    'nvidia' as vendor,
    min(message) as error,
    false as memory,
    gpu_index,
    count(*) as lines
from nvrm_event e
where
    kind = 'gsp_timeout'
    and not exists (from xid_line x where x.file_id = e.file_id and x.code in (79, 119, 120))
group by file_id, host, gpu_index
union all by name
select
    format(
        '{} {}{}: ',
        case vendor when 'aws' then 'Neuron device' else 'Gaudi' end,
        coalesce(array_to_string(list_sort(list(distinct gpu))[1:8], ', '), 'card'),
        coalesce(' of ' || host, '')
    ) || case
        when bool_or(kind = 'memory')
        then 'its memory has an error that cannot be corrected'
        when bool_or(kind = 'failed')
        then
            'the driver reports '
            || any_value(replace(message, 'NEURON_HW_ERR=', '')) filter (kind = 'failed')
        when bool_or(kind = 'not_usable')
        then 'the driver cannot bring it up: no program can use it'
        else 'its firmware does not answer'
    end as summary,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    case when host is not null then [host] else [] end as hosts,
    list_sort(list(distinct gpu) filter (gpu is not null)) as gpus,
    case when bool_or(kind <> 'firmware') then 'definite' else 'probable' end as confidence,
    'critical' as severity,
    case
        vendor
        when 'aws'
        then
            'Take the instance out and replace it (stop and start, or terminate): the accelerator is broken.'
        else
            'Take the node out of the pool, reboot it, see that hl-smi lists all cards, and run hl_qual before it comes back; where a card stays away, open a repair ticket.'
    end as action,
    vendor,
    arg_min(message, line_no) as error,
    bool_or(kind = 'memory') as memory,
    count(*) as lines
from accelerator_event
where kind in ('not_usable', 'firmware', 'memory', 'failed')
group by host, file_id, vendor
union all by name
select
    format(
        'GPU {}{}: {}',
        gpu,
        coalesce(' of ' || any_value(host), ''),
        case
            when bool_or(verdict = 'uncorrectable')
            then 'uncorrectable memory errors since its last reset'
            when bool_or(verdict = 'replace')
            then 'its memory can no longer be repaired'
            else 'it asks for recovery: ' || any_value(value) filter (verdict = 'recovery')
        end
    )
    || ', says nvidia-smi' as summary,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:10] as evidence,
    list(distinct host) filter (host is not null) as hosts,
    [gpu] as gpus,
    case when bool_or(verdict = 'replace') then 'definite' else 'probable' end as confidence,
    -- where the driver told of the same GPU, its own lines are the incident
    case
        when
            exists (
                select 1 from gpu_burst b where b.verdict = 'hardware' and b.gpu = gpu_state.gpu
            )
        then 'info'
        else 'critical'
    end as severity,
    case
        when bool_or(verdict = 'replace')
        then 'Replace the GPU (RMA): its spare memory rows are used up.'
        else 'Reset the GPU or reboot the node; run dcgmi diag -r 3 before it comes back.'
    end as action,
    'nvidia' as vendor,
    gpu as pci,
    bool_or(verdict in ('uncorrectable', 'replace')) as memory,
    any_value(key) as error,
    max(try_cast(value as bigint)) filter (verdict = 'uncorrectable') as uncorrectable_errors
from gpu_state
where verdict in ('uncorrectable', 'replace', 'recovery')
group by gpu, file_id
union all by name
-- A diagnosis that could not get at the GPU, because somebody used it, tells nothing of it.
select
    format(
        '{}dcgmi diag: {} failed{}',
        coalesce(any_value(host) || ': ', ''),
        array_to_string(list_sort(list(distinct test)), ', '),
        coalesce(' (' || any_value(said) || ')', '')
    ) as summary,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:10] as evidence,
    list(distinct host) filter (host is not null) as hosts,
    'probable' as confidence,
    case when bool_and(busy) then 'info' else 'critical' end as severity,
    case
        when bool_and(busy)
        then 'Run the diagnosis again with nothing else on the node.'
        else 'Take the node out and open a repair ticket with the output of dcgmi diag.'
    end as action,
    'nvidia' as vendor,
    any_value(test) as error,
    list_sort(list(distinct test)) as tests,
    list_sort(list(distinct gpu_index) filter (gpu_index is not null)) as gpu_indexes
from
    (
        select
            t.file_id,
            t.line_no,
            t.host,
            t.test,
            coalesce(
                t.gpu_index,
                try_cast(nullif(regexp_extract(t.message, 'GPU: ([0-9]+)$', 1), '') as bigint)
            ) as gpu_index,
            t.message as said,
            coalesce(
                regexp_matches(
                    n.text,
                    'busy or unavailable|insufficient free memory|[Nn]ot enough memory|in use by'
                ),
                false
            ) as busy
        from dcgm_test t
        left join
            (
                select file_id, dcgm_test_line, string_agg(message, '' order by line_no) as text
                from dcgm_note
                group by all
            ) n
            on n.file_id = t.file_id
            and n.dcgm_test_line = coalesce(t.dcgm_test_line, t.line_no)
        where
            t.result = 'Fail'
            and regexp_matches(
                t.test,
                'memory|diagnostic|pcie|stress|power|bandwidth|pulse|row remap|nvlink|integration|\beud\b|nvbandwidth',
                'i'
            )
    )
group by file_id
