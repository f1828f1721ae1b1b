-- table: One row per rank of a communicator in a RAS report in JSON: where it runs, its state of
-- init (0 done, 7 in progress), how many operations of each kind it launched, whether it answers.
-- Reports printed over several lines are put together from them: a rank's values follow its "rank",
-- a communicator's its "hash". Reports on one line are parsed whole.
with
    lines as (
        select *, name in ('ranks', 'missing_ranks') as begins_list
        from nccl_ras_json
        where name <> 'document'
    ),
    placed as (
        select
            *,
            last_value(case when name = 'hash' then value end ignore nulls) over so_far
            as comm_hash,
            last_value(case when name = 'hash' then line_no end ignore nulls) over so_far
            as hash_line,
            last_value(
                case
                    when
                        name = 'rank'
                        or name in ('ranks', 'missing_ranks', 'status', 'collective_counts')
                        and value = ''
                    then name
                end ignore nulls
            ) over so_far as part,
            last_value(case when begins_list and value = '' then name end ignore nulls) over so_far
            as list_name,
            last_value(case when name = 'rank' then line_no end ignore nulls) over so_far
            as rank_line,
            last_value(case when name = 'size' then value end ignore nulls) over so_far as size
        from lines
        window so_far as (partition by file_id order by line_no rows unbounded preceding)
    ),
    pretty as (
        select
            file_id,
            hash_line,
            rank_line as line_no,
            any_value(comm_hash) as comm_hash,
            any_value(list_name) as list_name,
            try_cast(any_value(size) as bigint) as nranks,
            max(try_cast(value as bigint)) filter (name = 'rank') as comm_rank,
            max(value) filter (name = 'host') as address,
            max(try_cast(value as bigint)) filter (name = 'pid') as pid,
            max(try_cast(value as bigint)) filter (name = 'cuda_dev') as gpu_index,
            max(try_cast(value as bigint)) filter (name = 'init_state') as init_state,
            coalesce(max(value) filter (name = 'abort_flag') in ('true', '1'), false) as aborts,
            -- NULL where the report is cut off above it
            bool_or(value in ('true', '1')) filter (
                name in ('finalize_called', 'destroy_flag')
            ) as ends,
            max(value) filter (name in ('considered_dead', 'unresponsive'))
            in ('true', '1') as dead,
            map_from_entries(
                list((name, try_cast(value as bigint))) filter (
                    part = 'collective_counts' and value <> ''
                )
            ) as counts
        from placed
        where rank_line is not null and rank_line >= hash_line and list_name is not null
        group by file_id, hash_line, rank_line
    ),
    whole as (
        select file_id, line_no, c.value as comm
        from
            nccl_ras_json d,
            json_each(
                case
                    when json_valid(d.value) then json_extract(d.value::json, '$.communicators')
                end
            ) c
        where d.name = 'document'
    ),
    compact as (
        select
            file_id,
            line_no as hash_line,
            line_no,
            comm ->> 'hash' as comm_hash,
            list_name,
            try_cast(comm ->> 'size' as bigint) as nranks,
            try_cast(r.value ->> 'rank' as bigint) as comm_rank,
            r.value ->> 'host' as address,
            try_cast(r.value ->> 'pid' as bigint) as pid,
            try_cast(r.value ->> 'cuda_dev' as bigint) as gpu_index,
            try_cast(r.value -> 'status' ->> 'init_state' as bigint) as init_state,
            coalesce(r.value -> 'status' ->> 'abort_flag', '') in ('true', '1') as aborts,
            coalesce(
                r.value -> 'status' ->> 'finalize_called',
                r.value -> 'status' ->> 'destroy_flag',
                ''
            )
            in ('true', '1') as ends,
            coalesce(
                r.value -> 'status' ->> 'considered_dead', r.value -> 'status' ->> 'unresponsive'
            )
            in ('true', '1') as dead,
            try_cast(json_extract(r.value, '$.collective_counts') as map(varchar, bigint)) as counts
        from
            whole,
            (values ('ranks'), ('missing_ranks')) l(list_name),
            json_each(json_extract(comm, '$.' || list_name)) r
    )
select
    file_id,
    line_no,
    hash_line,
    replace(comm_hash, '0x', '') as comm_hash,
    list_name = 'missing_ranks' as missing,
    coalesce(dead, false) as dead,
    nranks,
    comm_rank,
    address,
    pid,
    gpu_index,
    init_state,
    case
        when aborts
        then 'ABORT'
        when ends
        then 'FINALIZE'
        when init_state = 0 and not ends
        then 'RUNNING'
        when init_state > 0
        then 'INIT'
    end as ras_status,
    counts
from
    (
        select *
        from pretty
        union all by name
        select *
        from compact
    )
