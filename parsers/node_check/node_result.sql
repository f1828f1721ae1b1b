-- table: One row per node and test, with its verdict: passed, or failed, and whether what failed is
-- the node or may be any other that took part. `wrong` counts wrong values of nccl-tests,
-- `failed_gpus` local ranks that failed, `peers` other nodes of the same test in the same file, and
-- `peers_well` those where nothing failed.
with
    device_list as (
        -- each list of devices belongs to the result that follows it
        select d.file_id, d.line_no, d.host, min(t.line_no) as result_line
        from nccl_tests_device as d
        join node_test as t using (file_id)
        where t.value_lost is not null and t.line_no > d.line_no
        group by all
    ),
    bad_size as (
        select
            t.file_id,
            t.line_no as result_line,
            list(line_at(r.file_id, r.line_no) order by r.line_no) as lines
        from node_test as t
        join
            nccl_tests_row as r
            on r.file_id = t.file_id
            and r.line_no < t.line_no
            and not exists (
                from node_test as b
                where
                    b.test = 'nccl-tests'
                    and b.file_id = t.file_id
                    and b.line_no > r.line_no
                    and b.line_no < t.line_no
            )
        where t.test = 'nccl-tests' and r.wrong + coalesce(r.wrong_in_place, 0) > 0
        group by all
    ),
    part as (
        select
            t.test,
            -- HOST-LOCALRANK is one name where it comes before a colon
            case
                when t.test in ('NCCL', 'RCCL') and t.local_rank is null
                then regexp_replace(t.host, '[-:][0-9]{1,3}$', '')
                else
                    coalesce(
                        d.host,
                        t.host,
                        -- a check of one node, whose helper names it
                        case
                            when t.test = 'health'
                            then
                                (
                                    select min(o.host)
                                    from node_test as o
                                    where o.test = 'health' and o.file_id = t.file_id
                                    having count(distinct o.host) = 1
                                )
                        end
                    )
            end as host,
            coalesce(
                t.local_rank,
                case
                    when t.test in ('NCCL', 'RCCL')
                    then try_cast(regexp_extract(t.host, '[-:]([0-9]{1,3})$', 1) as bigint)
                end
            ) as local_rank,
            t.file_id,
            t.line_no,
            t.time,
            case when t.result like 'check%' then t.result end as check_name,
            t.message,
            t.value_lost as wrong,
            coalesce(t.result = 'OK', false) as passed,
            coalesce(b.lines, []) as more_lines
        from node_test as t
        left join
            (select distinct file_id, host, result_line from device_list) as d
            on t.value_lost is not null
            and d.file_id = t.file_id
            and d.result_line = t.line_no
        left join
            bad_size as b
            on t.test = 'nccl-tests'
            and b.file_id = t.file_id
            and b.result_line = t.line_no
    ),
    node as (
        select
            test,
            host,
            file_id,
            bool_and(passed) as passed,
            bool_or(passed) as partly_passed,
            min(time) filter (not passed) as "at",
            sum(wrong) filter (not passed) as wrong,
            min(check_name) filter (not passed) as check_name,
            arg_min(message, line_no) filter (not passed) as message,
            list(distinct local_rank order by local_rank) filter (
                not passed and local_rank is not null
            ) as failed_gpus,
            list(line_at(file_id, line_no) order by line_no) filter (not passed)
            || flatten(list(more_lines) filter (not passed)) as lines
        from part
        group by all
    )
select
    *,
    count(*) over same_test - 1 as peers,
    count_if(passed) over same_test - passed::int as peers_well
from node
window same_test as (partition by test, file_id)
