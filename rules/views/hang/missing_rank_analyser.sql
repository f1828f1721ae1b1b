-- table: One row: the ranks torch's own analyser of Flight Recorder dumps names. In groups that lie
-- within each other it names victims too: those count whom most of its findings name.
with
    finding as (
        select
            file_id,
            coalesce(report_line, line_no) as first_line,
            max(collective_seq) as seq,
            max(op) as op,
            coalesce(max(nullif(grp_desc, '')), max(grp)) as grp,
            list_transform(regexp_extract_all(max(lagging), '[0-9]+'), lambda n:n::bigint) as ranks,
            list(line_at(file_id, line_no) order by line_no)[:4] as evidence
        from flight_report
        group by all
        having max(lagging) is not null
    ),
    named_rank as (
        select rank, count(*) as findings
        from (select unnest(ranks) as rank from finding)
        group by rank
    )
select
    'analyser' as source,
    'dumped_before' as finding,
    (
        select list(rank order by rank)
        from named_rank
        where findings = (select max(findings) from named_rank)
    ) as ranks,
    []::varchar[] as hosts,
    []::bigint[] as pids,
    arg_min(grp, first_line) as grp,
    arg_min(seq, first_line) as seq,
    arg_min(op, first_line) as op,
    'outside' as place,
    case when count(distinct ranks) = 1 then 'probable' else 'possible' end as grade,
    flatten(list(evidence order by first_line))[:10] as evidence
from finding
having count(*) > 0
