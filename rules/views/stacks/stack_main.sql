-- table:
with
    local as (
        select
            file_id,
            thread_line,
            max(
                case
                    when name in ('rank', 'global_rank', 'my_rank') then try_cast(value as bigint)
                end
            ) as rank,
            max(case when name = 'local_rank' then try_cast(value as bigint) end) as local_rank,
            max(
                case
                    when name in ('world', 'world_size', 'nranks') then try_cast(value as bigint)
                end
            ) as world_size,
            max(
                case
                    when name in ('step', 'global_step', 'iteration', 'it', 'cur_step')
                    then try_cast(value as bigint)
                end
            ) as step
        from stack_local
        group by all
    ),
    other_threads as (
        select d.dump, list_sort(list(p.tid)) as tids
        from stack_dump as d
        join
            stack_position as p
            on p.file_id = d.file_id
            and p.stream = d.stream
            and p.unit_head is not distinct from d.unit_head
            and p.nth = d.nth
            and p.line_no <> d.thread_line
            and p.tid is not null
        group by d.dump
    ),
    program as (
        select dump, program, count(distinct pid) over (partition by program) as processes
        from
            (
                select
                    dump,
                    pid,
                    regexp_replace(
                        regexp_replace(cmdline, '^(ray::[0-9A-Za-z_]+).*', '\1'), '[0-9]+', '#', 'g'
                    ) as program
                from stack_dump
                where role = 'rank' and nullif(cmdline, '') is not null
            )
    ),
    program_count as (
        select
            max(processes) as most,
            (
                select count(distinct pid)
                from stack_dump
                where role = 'rank' and nullif(cmdline, '') is not null
            ) as processes
        from program
    ),
    d as (
        select
            d.*,
            l.rank as local_says_rank,
            coalesce(l.local_rank, d.local_rank) as printed_local_rank,
            l.world_size as local_world_size,
            l.step,
            try_cast(
                nullif(regexp_extract(cmdline, '--local[-_]rank[= ]([0-9]+)', 1), '') as bigint
            ) as option_local_rank,
            try_cast(
                nullif(
                    regexp_extract(cmdline, '(?:^| )--(?:global[-_])?rank[= ]([0-9]+)', 1), ''
                ) as bigint
            ) as option_rank,
            try_cast(
                nullif(regexp_extract(cmdline, '--node[-_]rank[= ]([0-9]+)', 1), '') as bigint
            ) as option_node,
            try_cast(
                nullif(regexp_extract(cmdline, '(?:_|::)TP([0-9]+)', 1), '') as bigint
            ) as title_tp,
            try_cast(
                nullif(regexp_extract(cmdline, '(?:_|::)PP([0-9]+)', 1), '') as bigint
            ) as title_pp,
            d.role in ('rank', 'service') as may_be_rank,
            -- Ranks run one program: who runs another beside many of them is their driver or a
            -- server of the job.
            d.role = 'rank'
            and p.program is not null
            and c.most >= 2
            and 3 * c.most >= 2 * c.processes
            and 3 * p.processes <= c.processes as runs_other_program
        from stack_dump as d
        left join program as p on p.dump = d.dump
        cross join program_count as c
        left join local as l on l.file_id = d.file_id and l.thread_line = d.thread_line
    ),
    mapped as (
        select d.*, k.rank as log_rank, coalesce(d.host, k.host) as at_host
        from d
        left join
            stack_known_rank as k
            on k.pid = d.pid
            and d.may_be_rank
            and (
                d.host is null
                or k.host is null
                or k.host = d.host
                or starts_with(k.host, d.host || '.')
                or starts_with(d.host, k.host || '.')
            )
            and (k.claims = 1 or k.host = d.host)
    ),
    node as (
        select
            at_host,
            max(coalesce(option_local_rank, printed_local_rank)) + 1 as per_node,
            dense_rank() over (order by max(option_node), natural_order(at_host)) - 1 as node_index
        from mapped
        where may_be_rank
        group by at_host
    ),
    tasks as (
        select
            count(distinct task) = count(distinct coalesce(at_host, '') || ':' || coalesce(pid, -1))
            and count(distinct task) > 1 as is_rank
        from mapped
        where may_be_rank and task is not null
    ),
    title as (select max(title_tp) + 1 as tp from d),
    guess as (
        select at_host, pid, row_number() over (order by at_host, pid) - 1 as rank
        from
            (
                select distinct at_host, pid
                from mapped
                where
                    role = 'rank'
                    and not coalesce(runs_other_program, false)
                    and pid is not null
                    and source_kind <> 'backtrace'
            )
        where
            (
                select count(distinct coalesce(at_host, '')) = 1 and count(distinct pid) > 1
                from mapped
                where role = 'rank' and source_kind <> 'backtrace'
            )
    ),
    ranked as (
        select
            m.* exclude (rank) replace (
                case
                    when
                        runs_other_program
                        and coalesce(m.rank, log_rank, option_rank, local_says_rank) is null
                    then 'other'
                    else m.role
                end as role
            ),
            case
                when not may_be_rank
                then m.rank
                else
                    coalesce(
                        m.rank,
                        log_rank,
                        option_rank,
                        local_says_rank,
                        case when (select is_rank from tasks) then task end,
                        coalesce(option_local_rank, printed_local_rank) + coalesce(
                            n.node_index * case
                                when (select count(distinct per_node) from node) = 1 then n.per_node
                            end,
                            0
                        ),
                        title_tp + coalesce(title_pp, 0) * (select tp from title)
                    )
            end as said_rank,
            coalesce(m.rank, log_rank, option_rank) is not null as surely,
            g.rank as guessed
        from mapped as m
        left join node as n on n.at_host is not distinct from m.at_host
        left join guess as g on g.at_host is not distinct from m.at_host and g.pid = m.pid
    ),
    keyed as (
        select
            *,
            case
                when said_rank is not null and may_be_rank
                then said_rank
                when
                    may_be_rank
                    and (select count(*) from ranked where said_rank is not null and may_be_rank)
                    = 0
                then guessed
            end as rank,
            -- A local rank and the order of host names make a rank only if the launch kept that
            -- order.
            said_rank is null
            or (
                not surely
                and local_says_rank is null
                and (select count(*) from node) > 1
                and coalesce(option_local_rank, printed_local_rank) is not null
            ) as rank_guessed
        from ranked
    ),
    named as (
        select
            *,
            case
                when may_be_rank and rank is not null
                then 'rank ' || rank
                when pid is not null
                then
                    coalesce(at_host, '')
                    || ' pid '
                    || pid
                    || case when is_namesake then ' in ' || file || ':' || line_no else '' end
                else file || ':' || line_no
            end as process
        from
            (
                -- Containers all have a process 1: threads of one process keep their ids, so two
                -- that share none are two processes.
                select
                    k.*,
                    pid is not null
                    and coalesce(
                        len(list_intersect(o.tids, first_value(o.tids) over same)) = 0
                        and len(first_value(o.tids) over same) > 0,
                        false
                    ) as is_namesake
                from keyed as k
                left join other_threads as o using (dump)
                window same as (partition by at_host, pid order by file_order, line_no)
            )
    ),
    nth as (
        -- File names keep the order of snapshots, unless times are known.
        select
            *,
            row_number() over (
                partition by process order by time nulls first, file_order, line_no
            ) as snapshot,
            count(*) over (partition by process) as snapshots
        from named
    )
select
    dump,
    file_id,
    line_no,
    thread_line,
    file,
    source_kind,
    is_json,
    watched,
    process,
    rank,
    rank_guessed,
    surely,
    at_host as host,
    pid,
    role,
    cmdline,
    occasion,
    failure,
    failure_line,
    time,
    snapshot,
    snapshots,
    status,
    class,
    awaits,
    decided,
    top,
    own,
    path,
    own_path,
    array_to_string(path, ' > ') as signature,
    innermost,
    in_queue_get,
    holds_out_for_lock,
    worker_wants_lock,
    step,
    local_world_size as world_size,
    class in (
        'collective-wait', 'collective-launch', 'p2p-wait', 'gpu-sync', 'store-wait', 'init'
    ) as waits_for_peers,
    coalesce(
        array_to_string(coalesce(nullif(own_path, []), path), ' > '), decided.f, innermost, ''
    ) as place,
    -- The same without paths, which tools shorten differently: to compare two dumps of one process.
    array_to_string(
        list_transform(
            coalesce(nullif(own_path, []), path),
            lambda x:regexp_replace(x, ' \([^()]*?(?::([0-9]+))?\)$', ' \1')
        ),
        ' > '
    ) as own_key,
    array_to_string(
        list_transform(path, lambda x:regexp_replace(x, ' \([^()]*?(?::([0-9]+))?\)$', ' \1')),
        ' > '
    ) as full_key
from nth
