-- table: One row per detector that names ranks (ranks) or nodes as slower than the others, by what
-- it said last. of_what: gpu | data | node. times: how many of its reports name somebody. ratio:
-- how much slower, where it says so.
with
    named as (
        select
            n.* exclude (compared),
            case
                when n.compared = 'performance dropped' then 'itself' else 'others'
            end as compared,
            case
                when n.detector = 'nvrx'
                then
                    [
                        x::bigint
                        for x in case
                            when contains(n.said, 'rank=')
                            then regexp_extract_all(n.said, 'rank=([0-9]+)', 1)
                            else regexp_extract_all(n.said, '[0-9]+')
                        end
                    ]
            end as ranks,
            regexp_extract_all(n.said, 'node=''([^'']+)''', 1) as nodes
        from slow_rank_named n
    ),
    slowest as (
        select
            file_id,
            slowest,
            count(*) as times,
            median(most / least) as ratio,
            arg_max(line_no, line_no) as line_no,
            min(time) as time,
            sum(count(*)) over (partition by file_id) as reports
        from slowest_rank
        where least > 0
        group by file_id, slowest
    ),
    waited as (  -- whose data made a step of all ranks long
        select
            s.file_id,
            s.line_no as head,
            s.step,
            s.longest / greatest(s.usual, 0.001) as ratio,
            list(d.rank order by d.rank) as ranks,
            min(d.line_no) as line_no
        from data_wait d
        asof join data_wait_step s on s.file_id = d.file_id and d.line_no >= s.line_no
        where s.longest >= 0.5 * s.seconds and d.seconds >= 0.5 * s.longest
        group by all
    )
select
    detector,
    case when detector = 'dlrover' then 'node' else 'gpu' end as of_what,
    compared,
    count(*) as times,
    arg_max(ranks, (file_id, line_no)) as ranks,
    nullif(arg_max(list_distinct(nodes), (file_id, line_no)), []) as hosts,
    arg_max(said, (file_id, line_no)) as said,
    null::double as ratio,
    null::double as step,
    min(time) as time,
    list(line_at(file_id, line_no) order by file_id desc, line_no desc)[:3] as evidence
from named
group by detector, compared
union all by name
-- always the same rank, by more than what ranks differ in anyway
select
    'megatron' as detector,
    'gpu' as of_what,
    'others' as compared,
    times,
    [slowest] as ranks,
    ratio,
    time,
    [line_at(file_id, line_no)] as evidence
from slowest
where times >= 3 and times >= 0.8 * reports and ratio >= 1.3
union all by name
select
    'xtuner' as detector,
    'data' as of_what,
    'others' as compared,
    count(*) as times,
    arg_max(ranks, ratio) as ranks,
    max(ratio) as ratio,
    arg_max(step, ratio) as step,
    flatten(list([line_at(file_id, head), line_at(file_id, line_no)] order by ratio desc))[
        :4
    ] as evidence
from waited
having count(*) > 0
