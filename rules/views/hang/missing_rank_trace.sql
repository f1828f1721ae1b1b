-- table: One row: processes whose trace of Python lines ends elsewhere, and earlier, than those of
-- most others, which end on one line, in what waits for other ranks.
with
    place as (
        select last_source, last_line, count(*) as processes, min(lines) as fewest
        from call_trace_end
        group by all
    ),
    common as (
        select * from place qualify row_number() over (order by processes desc, fewest desc) = 1
    ),
    waiting as (
        select
            count(*) as processes,
            min(e.lines) as fewest,
            any_value(e.last_statement) as statement,
            any_value(e.last_function) as function,
            bool_and(e.at_peers) as at_peers,
            bool_and(e.in_call) as in_call,
            bool_or(e.at_end) as at_end,
            list(line_at(e.file_id, e.line_no) order by e.file_id)[:3] as evidence
        from call_trace_end e
        join common c using (last_source, last_line)
    ),
    early as (
        select e.*
        from call_trace_end e
        cross join waiting w
        where
            e.lines < w.fewest
            and not exists (
                from common c where c.last_source = e.last_source and c.last_line = e.last_line
            )
    ),
    everybody as (select count(*) as processes from call_trace_end)
select
    'call_trace' as source,
    'trace_ended' as finding,
    coalesce(list_sort(list(distinct e.rank) filter (e.rank is not null)), []) as ranks,
    coalesce(list(distinct e.host) filter (e.host is not null), []) as hosts,
    coalesce(list(distinct e.pid) filter (e.pid is not null), []) as pids,
    case when any_value(w.in_call) then any_value(w.function) end as op,
    'host' as side,
    'outside' as place,
    case when any_value(w.at_peers) then 'probable' else 'possible' end as grade,
    min(e.lines)::bigint as reached,
    any_value(w.fewest)::bigint as furthest,
    any_value(w.processes) as waiting,
    any_value(w.statement) as waiting_function,
    arg_min(e.last_source || ':' || e.last_line || ' ' || e.last_statement, e.lines) as frame,
    list(line_at(e.file_id, e.line_no) order by e.lines)[:8] || any_value(w.evidence) as evidence
from early e
cross join waiting w
cross join everybody v
-- Nothing that failed or ended by itself stopped the traces, and the others did not come to the
-- end of their programs: of a log that ends before theirs only its end is missing then.
where
    w.processes >= 2
    and (w.at_peers or v.processes >= 3)
    and not w.at_end
    and not exists (from fatal_exception)
    and not exists (from death)
having count(*) > 0 and 3 * count(*) <= any_value(v.processes)
