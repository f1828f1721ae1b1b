-- table: one row per dump with its rank: what the dump says, else the logs, the options of its
-- command, its local variables, its task, its local rank and node, or its title; else, on one
-- host, the order of pids. surely: not by local variables or by an order. log_rank, said_rank,
-- guessed: steps on the way.
with
    dump as (
        select
            d.* replace (case when p.is_rank_at_heart then 'rank' else d.role end as role),
            l.rank as local_says_rank,
            coalesce(l.local_rank, d.local_rank) as printed_local_rank,
            l.world_size as local_world_size,
            l.step,
            number_in(cmdline, '--local[-_]rank[= ]([0-9]+)') as option_local_rank,
            number_in(cmdline, '(?:^| )--(?:global[-_])?rank[= ]([0-9]+)') as option_rank,
            number_in(cmdline, '--node[-_]rank[= ]([0-9]+)') as option_node,
            number_in(cmdline, '(?:_|::)TP([0-9]+)') as title_tp,
            number_in(cmdline, '(?:_|::)PP([0-9]+)') as title_pp,
            d.role in ('rank', 'service') as may_be_rank,
            coalesce(p.runs_other_program, false) as runs_other_program
        from stack_dump as d
        left join stack_program as p on p.dump = d.dump
        left join stack_local_fact as l on l.file_id = d.file_id and l.thread_line = d.thread_line
    ),
    mapped as (
        select d.*, k.rank as log_rank, coalesce(d.host, k.host) as at_host
        from dump as d
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
    title as (select max(title_tp) + 1 as tp from dump),
    guess as (
        select at_host, pid, row_number() over (order by at_host, place, pid) - 1 as rank
        from
            (
                select
                    at_host,
                    pid,
                    -- a file with several processes is that of a host
                    min(file_order) filter (in_file > 1) as place
                from
                    (
                        select *, count(distinct pid) over (partition by file_id) as in_file
                        from mapped
                        where
                            role = 'rank'
                            and not runs_other_program
                            and pid is not null
                            and source_kind <> 'backtrace'
                    )
                group by at_host, pid
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
                        coalesce(option_local_rank, printed_local_rank)
                        + coalesce(n.node_index * (select max(per_node) from node), 0),
                        title_tp + coalesce(title_pp, 0) * (select tp from title)
                    )
            end as said_rank,
            coalesce(m.rank, log_rank, option_rank) is not null as surely,
            g.rank as guessed
        from mapped as m
        left join node as n on n.at_host is not distinct from m.at_host
        left join guess as g on g.at_host is not distinct from m.at_host and g.pid = m.pid
    )
select
    *,
    case
        when said_rank is not null and may_be_rank
        then said_rank
        when
            may_be_rank
            and (select count(*) from ranked where said_rank is not null and may_be_rank) = 0
        then guessed
    end as rank,
    -- a local rank and the order of host names make a rank only if the launch kept that order
    said_rank is null
    or (
        not surely
        and local_says_rank is null
        and (select count(*) from node) > 1
        and coalesce(option_local_rank, printed_local_rank) is not null
    ) as rank_guessed
from ranked
