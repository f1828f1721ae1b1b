-- table: The sub-codes of Xid 144 to 150 that were seen, with what NVIDIA's decode tables say of
-- them. What the catalogue's decode tables say of each sub-code that was seen: the row of the unit
-- with the same status (of the same reason, where a link went down); status words are bit sets
-- except those of 149; the printed severity tells rows apart.
with
    seen as (
        select distinct
            code,
            said.unit as unit,
            said.word ilike 'fatal' as fatal,
            case
                when said.unit like 'NETIR_LINK%' then nvlink5_reason(said.intr_info)
            end as reason,
            said.error_status as error_status
        from
            (
                select code, nvlink5_pieces(message) as said
                from xid_line
                where code between 144 and 150
            )
        where said.unit <> ''
    )
select
    n.*,
    case when n.fatal = (s.severity <> 'non-fatal') then s.action end as action,
    case when n.fatal = (s.severity <> 'non-fatal') then s.investigatory end as investigatory  -- the line knows best
from seen n
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
