-- table: One row per sub-code of Xid 144 to 150 that was seen (code, unit, fatal, reason,
-- error_status), with the action and investigatory of NVIDIA's decode tables: of the row of its
-- unit with the same status (of the same reason, where a link went down). Status words are bit
-- sets except those of 149; the printed severity tells rows apart.
with
    sub_code as (
        select distinct
            code,
            pieces.unit as unit,
            pieces.word ilike 'fatal' as fatal,
            case
                when pieces.unit like 'NETIR_LINK%' then nvlink5_reason(pieces.intr_info)
            end as reason,
            pieces.error_status as error_status
        from
            (
                select code, nvlink5_pieces(message) as pieces
                from xid_line
                where code between 144 and 150
            )
        where pieces.unit <> ''
    )
select
    n.*,
    -- only where the line tells the same severity: it knows best
    case when n.fatal = (s.severity <> 'non-fatal') then s.action end as action,
    case when n.fatal = (s.severity <> 'non-fatal') then s.investigatory end as investigatory
from sub_code n
join
    xid_nvlink5 s
    on s.xid = n.code
    and (s.unit = n.unit or list_contains(string_split(s.unit, '/'), string_split(n.unit, '/')[-1]))
    and case
        when n.reason is not null
        then s.linkdown_reason_bits25_20 = n.reason
        when n.code < 149
        then (try_cast(s.error_status as bigint) & try_cast(n.error_status as bigint)) <> 0
        else try_cast(s.error_status as bigint) = try_cast(n.error_status as bigint)
    end
qualify
    row_number() over (
        partition by n.code, n.unit, n.fatal, n.reason, n.error_status
        order by
            try_cast(s.error_status as bigint) = try_cast(n.error_status as bigint) desc,
            (s.severity <> 'non-fatal') = n.fatal desc,
            s.severity,
            s.unit
    )
    = 1
