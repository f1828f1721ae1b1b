-- table: One row per contradiction between links: a rank (of_what) with two hosts, processes or
-- GPUs (a restart, or a label that is no rank), a GPU or process with two ranks; names = the two.
with
    link as (
        from
            (
                select
                    rank,
                    short_host(host) as host,
                    short_host(host) || ' pid ' || pid as process,
                    short_host(host) || ' ' || gpu as gpu,
                    learnt_from,
                    file_id,
                    line_no
                from identity_link
                where rank is not null
            )
            unpivot (name for what in (host, process, gpu))
    )
select
    'rank ' || rank as of_what,
    what,
    list(distinct name order by name) as names,
    list(distinct learnt_from order by learnt_from) as learnt_from,
    min(file_id) as file_id,
    arg_min(line_no, (file_id, line_no)) as line_no
from link
group by rank, what
having count(distinct name) > 1
union all
select
    what || ' ' || name,
    'rank',
    list(distinct rank::varchar order by rank::varchar),
    list(distinct learnt_from order by learnt_from),
    min(file_id),
    arg_min(line_no, (file_id, line_no))
from link
where what <> 'host'
group by what, name
having count(distinct rank) > 1
