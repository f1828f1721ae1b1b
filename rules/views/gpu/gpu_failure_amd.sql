-- table: One row per AMD GPU that failed, or per event of its RAS unit: kind = ras (an error that
-- cannot be corrected, by name) | ras_count (such errors are counted) | reset_failed | init_failed
-- | hw_exception | scheduler_hung | copy_hung (the engine that copies, on which no program's kernel
-- runs, did not end its work) | reset; unit is the block of the GPU. A reset, or a scheduler that
-- hangs, is the GPU's own doing where no program's fault comes before it; so is a copy engine where
-- none is told at all.
with
    program_fault as (
        select file_id, min(line_no) as line_no
        from
            (
                from amd_program_sign
                union all
                select file_id, line_no
                from amdgpu_event
                where kind in ('ras', 'ras_count')
            )
        group by all
    ),
    failure as (
        select
            coalesce(
                arg_min(e.gpu, e.line_no) filter (kind = 'ras'), arg_min(e.gpu, e.line_no)
            ) as gpu,
            any_value(e.host) as host,
            arg_min(error, e.line_no) filter (error is not null) as error,
            any_value(block) filter (block is not null) as block,
            any_value(event_id) as event_id,
            min(time) as "at",
            max(time) as until,
            list(distinct kind) as kinds,
            count(*) as lines,
            list(line_at(e.file_id, e.line_no) order by e.line_no)[1:20] as evidence,
            arg_min(message, e.line_no) as message
        from amdgpu_event e
        left join program_fault p on p.file_id = e.file_id and p.line_no < e.line_no
        where
            kind in ('ras', 'ras_count', 'reset_failed', 'hw_exception', 'init_failed')
            or (kind = 'reset' and p.file_id is null)
            or (
                kind = 'ring_timeout'
                and is_copy_engine(block)
                and e.file_id not in (select file_id from program_fault)
            )
            or (kind = 'scheduler_hung' and p.file_id is null and e.gpu is not null)
        group by coalesce(event_id::varchar, e.gpu, ''), e.host, e.file_id
    ),
    named as (
        select
            *,
            case
                when error is not null
                then 'ras'
                else
                    list_filter(
                        [
                            'ras_count',
                            'reset_failed',
                            'init_failed',
                            'hw_exception',
                            'ring_timeout',
                            'scheduler_hung',
                            'reset',
                            'ras'
                        ],
                        lambda k:list_contains(kinds, k)
                    )[1]
            end as kind
        from failure
    )
select
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
        when kind = 'scheduler_hung'
        then 'possible'
        else 'probable'
    end as confidence,
    case when kinds = ['init_failed'] then 'warning' else 'critical' end as severity,
    'amd' as vendor,
    case kind when 'ring_timeout' then 'copy_hung' else kind end as kind,
    case
        when kind in ('init_failed', 'hw_exception')
        then regexp_replace(message, '^reason ?: ?', '')
    end as message,
    case when list_contains(kinds, 'reset') then true end as was_reset,
    case when gpu not like 'node%' then pci_address(gpu) end as pci,
    error,
    event_id,
    block as unit,
    coalesce(block = 'umc', false) as memory,
    lines
from named
