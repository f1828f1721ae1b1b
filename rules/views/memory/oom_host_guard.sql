-- view: One row per host on which a program ended itself because memory was nearly full.
select
    'guard' as kind,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:10] as evidence,
    min(time) as "at",
    list(distinct host) filter (host is not null) as hosts,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    'definite' as confidence,
    max(percent) as reached_percent
from memory_guard
where not regexp_matches(what, '(?i)gpu|cuda|device')
group by host
