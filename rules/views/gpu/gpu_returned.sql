-- table: One row per host with a GPU that another host had before, or that a list of bad GPUs
-- names: a node that was given back came again under another name. `had_failed`: a fault or a
-- failed test of the former host, or the list.
with
    listed as (
        select
            gpu_uuid,
            short_host(coalesce(s.host, f.host)) as host,
            regexp_matches(
                lower(f.path), '(?:^|[^a-z])(?:bad|broken|faulty|banned|blacklist|denylist)[^a-z]'
            ) as is_bad_list,
            s.file_id,
            s.line_no,
            s.time
        from smi_gpu as s
        join file as f using (file_id)
        where gpu_uuid is not null
    ),
    fault as (
        select unnest(hosts) as host, evidence[1] as line
        from gpu_failure_driver
        union all
        select unnest(hosts), evidence[1]
        from gpu_failure_state
        union all
        select unnest(hosts), evidence[1]
        from gpu_failure_diagnosis
        union all
        select unnest(hosts), evidence[1]
        from gpu_missing
        union all
        select host, lines[1]
        from node_result
        where not passed and host is not null
    ),
    failed_host as (
        select short_host(host) as host, any_value(line) as line from fault group by all
    ),
    returned as (
        select
            n.host,
            o.host as former_host,
            n.gpu_uuid,
            b.line as fault_line,
            line_at(o.file_id, o.line_no) as former_line,
            line_at(n.file_id, n.line_no) as line,
            n.time
        from listed as n
        join listed as o on o.gpu_uuid = n.gpu_uuid and o.host <> n.host and not o.is_bad_list
        join failed_host as b on b.host = o.host
        where
            not n.is_bad_list
            and n.host not in (select host from failed_host)
            and not exists (
                from host_alias as a
                where
                    (a.alias = n.host and a.host = o.host) or (a.alias = o.host and a.host = n.host)
            )
        union all
        select
            n.host,
            null,
            n.gpu_uuid,
            null,
            line_at(o.file_id, o.line_no),
            line_at(n.file_id, n.line_no),
            n.time
        from listed as n
        join listed as o on o.gpu_uuid = n.gpu_uuid and o.is_bad_list
        where not n.is_bad_list
    )
select
    list_distinct(
        list(line order by line)[1:8]
        || list(former_line order by former_line)[1:8]
        || coalesce(list(distinct fault_line) filter (fault_line is not null), [])[1:2]
    ) as evidence,
    case when host is not null then [host] end as hosts,
    list(distinct gpu_uuid order by gpu_uuid) as gpus,
    'probable' as confidence,
    'warning' as severity,
    'nvidia' as vendor,
    'returned' as kind,
    'bus' as part,
    any_value(former_host) as former_host,
    [] as explains,
    min(time) as "at"
from returned
group by host
