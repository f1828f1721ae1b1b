-- table: One row per fault of an NVIDIA GPU or NVSwitch as its driver reports it, with what
-- NVIDIA's catalogues and the message itself tell of it. kind = xid | sxid | init_failed (the
-- driver cannot initialise it) | no_handle (nvidia-smi cannot reach it); part as in xid_triage;
-- the kernel drops lines of floods, so that `lines` is the least there was where suppressed_lines
-- is known.
with
    dropped as (
        select coalesce(e.host, f.otherwise) as machine, sum(e.count)::bigint as suppressed_lines
        from kernel_event e
        join kernel_file f using (file_id)
        where e.kind = 'suppressed'
        group by all
    ),
    board as (
        select
            machine,
            gpu,
            any_value(gpu_uuid) as gpu_uuid,
            any_value(serial) as serial,
            line_at(min(file_id), min(line_no)) as evidence
        from gpu_name
        group by all
    ),
    fault as (
        select
            * exclude (first_burst),
            first_burst as b,
            first_burst.root_code,
            first_burst.message,
            case when first_burst.root_kind = 'lost' then true end as in_words,
            case
                first_burst.root_kind when 'lost' then 'xid' else first_burst.root_kind
            end as kind,
            -- poison that came with a refused access over NVLink, and no word of a broken memory
            -- cell, need not be a memory error; one whose time is not known may have come with it
            coalesce(
                first_burst.root_code = 94
                and (
                    list_contains(xids, 137)
                    or exists (
                        from gpu_burst o
                        where
                            o.machine = first_burst.machine
                            and o.gpu = first_burst.gpu
                            and o.root_code = 137
                            and o.t is null
                    )
                )
                and not list_has_any(xids, [48, 63, 64, 95, 140, 160, 171, 172]),
                false
            ) as is_refused_access
        from gpu_fault
    )
select
    list_concat(
        f.evidence, case when n.evidence is not null then [n.evidence] else [] end
    ) as evidence,
    "at",
    until,
    hosts,
    case when kind = 'sxid' then [] else gpus end as gpus,
    case
        when is_refused_access
        then 'possible'
        when
            kind in ('init_failed', 'no_handle')
            or root_code in (61, 12028, 57, 58, 59)
            or (root_code between 144 and 150 and not b.fatal)
        then 'probable'
        else 'definite'
    end as confidence,
    case
        when root_code in (61, 12028) or kind = 'init_failed' then 'warning' else 'critical'
    end as severity,
    'nvidia' as vendor,
    kind,
    case when kind = 'sxid' then 'nvswitch' else t.part end as part,
    coalesce(c.short_meaning, s.short_meaning, case when kind <> 'xid' then message end) as meaning,
    case when kind <> 'sxid' then root_code end as xid,
    -- the driver says what its code would say
    in_words,
    xids,
    case when len(sxids) > 0 then sxids end as sxids,
    root_code,
    b.gpu as pci,
    n.gpu_uuid,
    n.serial as board_serial,
    nullif(b.advice, '') as recommended_action,
    c.immediate_action,
    case
        when b.decoded_investigatory is null then nullif(c.investigatory_action, '')
    end as investigatory_action,
    coalesce(c.mnemonic, s.mnemonic) as mnemonic,
    case
        when root_code in (94, 95)
        then
            nullif(
                trim(
                    regexp_extract(message, '(?:Contained|Uncontained): ([A-Za-z0-9/ ]+?) ?[(.]', 1)
                ),
                ''
            )
        else nullif(b.unit, '')
    end as unit,
    case
        regexp_extract(message, '[^-]RST: (Yes|No)', 1) when 'Yes' then true when 'No' then false
    end as rst,
    case
        regexp_extract(message, 'D-RST: (Yes|No)', 1) when 'Yes' then true when 'No' then false
    end as d_rst,
    case
        when kind = 'sxid' or root_code between 144 and 150
        then case b.fatal when true then 'fatal' when false then 'non-fatal' end
    end as error_severity,
    b.gpu_instance as gpu_instance,
    b.compute_instance as compute_instance,
    f.recovery_action,
    a.recovery,
    case when is_refused_access then true end as nvlink_access_refused,
    memory,
    try_cast(nullif(regexp_extract(message, '[Ll]ink ([0-9]+)', 1), '') as bigint) as link,
    b.link_down_reason as link_down_reason,
    nullif(b.error_status, '') as error_status,
    b.decoded_action as sub_code_action,
    b.decoded_investigatory as sub_code_investigation,
    nullif(regexp_extract(message, 'physAddr:? (0x[0-9a-fA-F]+)', 1), '') as phys_addr,
    case
        when root_code in (119, 120)
        then nullif(regexp_extract(message, '\((GSP_[A-Z_]+|[A-Z][A-Z0-9_]{5,})\)', 1), '')
    end as rpc_function,
    -- what calls a silent firmware is not what hurts it
    case when root_code not in (119, 120) then b.any_pid end as pid,
    case when root_code not in (119, 120) then b.any_process end as process,
    strftime("at", '%Y-%m-%dT%H:%M:%S') as first_time,
    lines,
    bursts,
    d.suppressed_lines
from fault f
left join dropped d on d.machine = b.machine
left join board n on n.machine = b.machine and n.gpu = b.gpu
left join xid_catalog c on kind = 'xid' and c.code = root_code
left join xid_triage t on kind = 'xid' and t.code = root_code
left join sxid_catalog s on kind = 'sxid' and s.code = root_code
left join recovery_action a on a.code = f.recovery_action
