/*
title       = "Ranks run with different versions or settings"
severity    = "warning"
confidence  = "probable"
status      = "stable"
explains    = ["hang"]
about       = """
Ranks of one job must agree in the version of NCCL and in the settings that decide what they send each other. Where they differ, init fails,
messages have other sizes than expected, or the job hangs.
"""
remedy      = "Start all hosts from the same image and pass the same environment to all of them (mpirun -x, srun --export, the launcher's env file)."
false_positives = "The logs of several jobs lie in one directory."
*/
-- only with setting, nccl_usage
with
    shared(name) as (
        values
            ('NCCL'),
            ('RCCL'),
            ('NCCL_ALGO'),
            ('NCCL_PROTO'),
            ('NCCL_NET'),
            ('NCCL_BUFFSIZE'),
            ('NCCL_NTHREADS'),
            ('NCCL_MIN_NCHANNELS'),
            ('NCCL_MAX_NCHANNELS'),
            ('NCCL_MIN_CTAS'),
            ('NCCL_MAX_CTAS'),
            ('NCCL_MIN_NRINGS'),
            ('NCCL_MAX_NRINGS'),
            ('NCCL_COLLNET_ENABLE'),
            ('NCCL_NVLS_ENABLE'),
            ('NCCL_LL_THRESHOLD'),
            ('NCCL_TREE_THRESHOLD'),
            ('NCCL_CROSS_NIC'),
            ('NCCL_IB_DISABLE'),
            ('NCCL_P2P_NET_CHUNKSIZE'),
            ('NCCL_CUMEM_ENABLE'),
            ('NCCL_PXN_DISABLE')
    ),
    of_host as (
        select
            name,
            host,
            list(distinct value order by value) as said,
            arg_min(line_at(file_id, line_no), line_no) as at_line,
            min(time) as at
        from setting
        where host is not null and name in (from shared)
        group by name, host
    ),
    by_value as (
        select
            name,
            array_to_string(said, ', ') as value,
            list(host order by host) as hosts,
            list(at_line) as lines,
            min("at") as at
        from of_host
        group by all
    )
select
    format(
        'Hosts differ in {}: {}',
        case when name in ('NCCL', 'RCCL') then 'their version of ' || name else name end,
        string_agg(
            value
            || ' on '
            || case
                when len(hosts) > 4 then len(hosts) || ' hosts' else array_to_string(hosts, ', ')
            end,
            '; '
            order by len(hosts) desc, value
        )
    ) as summary,
    flatten(list(lines[:3])) as evidence,
    min("at") as at,
    case
        when min(len(hosts)) = max(len(hosts))
        then list_sort(flatten(list(hosts)))
        else arg_min(hosts, len(hosts))
    end as hosts,
    name as "key",
    list(value order by value) as "values",
    'critical' as severity
from by_value
group by name
having count(*) > 1
union all by name
select
    format(
        'Ranks run different versions of NCCL: rank {} has {}, rank {} has {}',
        rank_a,
        nccl_version_text(version_a),
        rank_b,
        nccl_version_text(version_b)
    ) as summary,
    lines as evidence,
    "at",
    [rank_a, rank_b] as ranks,
    'NCCL' as "key",
    [nccl_version_text(version_a), nccl_version_text(version_b)] as "values",
    'critical' as severity,
    'definite' as confidence
from
    (
        select
            arg_min(rank_a, line_no) as rank_a,
            arg_min(rank_b, line_no) as rank_b,
            version_a,
            version_b,
            min(time) as at,
            list(line_at(file_id, line_no)) as lines
        from nccl_usage
        where event = 'version_mismatch'
        group by version_a, version_b
    )
union all by name
-- what they agree in, for the reader
select
    format(
        'NCCL {}; {} communicator(s), the largest of {} ranks',
        array_to_string(versions, ' and '),
        communicators,
        coalesce(nranks::varchar, '?')
    ) as summary,
    lines as evidence,
    hosts,
    array_to_string(versions, ', ') as nccl_version,
    nranks,
    'info' as severity
from
    (
        select
            list(distinct split_part(value, '+', 1)) as versions,
            list(line_at(file_id, line_no))[:3] as lines,
            (select max(nranks) from communicator) as nranks,
            (select count(*) from communicator) as communicators,
            (select list(distinct host order by host) filter (host <> '') from nccl_rank) as hosts
        from setting
        where name in ('NCCL', 'RCCL')
        having count(*) > 0
    )
