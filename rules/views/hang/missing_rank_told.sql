-- table: One row: the ranks of which the program itself says, in words of its own, that they did
-- not come to what the others wait in.
select
    'told' as source,
    'told' as finding,
    list_sort(list_distinct(flatten(list(missing)))) as ranks,
    list_distinct(list(missing_host) filter (missing_host is not null)) as hosts,
    []::bigint[] as pids,
    arg_min(seq, (file_id, line_no)) as seq,
    arg_min(op, (file_id, line_no)) as op,
    'outside' as place,
    'probable' as grade,
    min(time) as "at",
    list(line_at(file_id, line_no) order by time nulls last, file_id, line_no)[:20] as evidence
from communication_told
where kind = 'missing'
having count(*) > 0
