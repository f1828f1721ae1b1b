/*
title = "Ranks run with different versions or settings"
severity = "critical"
confidence = "probable"
status = "stable"
explains = ["hang"]
lasting = true
about = """
Ranks of one job must agree in the version of NCCL and in the settings that decide what they send
each other. Where they differ, init fails, messages have other sizes than expected, or the job
hangs.
"""
false_positives = "The logs of several jobs are in one directory."

[[summary]]
when = "differing"
say = '''Nodes differ in {{ differing | names }}: {{ key }} is {% for value in values %}{{ value }}
on {{ hosts_by_value[loop.index0] | names }}{% if not loop.last %}, {% endif %}{% endfor %}'''

[[summary]]
when = "key == 'seed'"
say = '''{{ ranks | ranks | capital }} {{ ranks | agree('starts', 'start') }} with seed
{{ values[1] }}, all others with {{ values[0] }}'''

[[summary]]
when = "hosts_by_value"
say = '''Hosts differ in {% if key in ('NCCL', 'RCCL') %}their version of
{{ key }}{% else %}{{ key }} {%- endif %}: {% for value in values %}{{ value }} on
{{ hosts_by_value[loop.index0] | names }} {%- if not loop.last %}; {% endif %}{% endfor %}'''

[[summary]]
when = "of_open_mpi"
say = '''Processes of Open MPI chose different components of its framework {{ key }}
{%- if ranks %}: {{ ranks | ranks }} chose {{ values[0] }}, others {{ values[1] }}
{%- else %}: {{ values | names }}{% endif %}'''

[[summary]]
say = '''Ranks run different versions of {{ key }}: rank {{ ranks[0] }} has {{ values[0] }}, rank
{{ ranks[1] }} has {{ values[1] }}'''

[[step]]
when = "key in ('NCCL', 'RCCL')"
say = '''Start all hosts from the same image, and look for a second copy of the library that is
found first on some (LD_LIBRARY_PATH, LD_PRELOAD, a module, a wheel).'''
run = [
  "python -c 'import torch; print(torch.__version__, torch.cuda.nccl.version())'",
  "ldconfig -p | grep -E 'nccl|rccl'",
  "env | grep -E 'LD_LIBRARY_PATH|LD_PRELOAD'",
]

[[step]]
when = "differing"
say = '''Start all nodes from one image or one shared environment, and compare them again before
  the
next start.'''
run = ["pip freeze", "python -m torch.utils.collect_env"]

[[step]]
when = "key == 'seed'"
say = '''Find where {{ ranks | ranks }} {{ ranks | agree('gets its', 'get their') }} seed from:
weights that are drawn, dropout and the order of the data differ there. Meant differences are a rule
  (seed + rank), not one rank of many.'''

[[step]]
when = "of_open_mpi"
say = '''Name the component for all processes, and see why {{ values[1] }} is not chosen where
{{ values[0] }} is: what its network or its library lacks there (limits of locked memory, devices in
a container, another build of Open MPI).'''
run = [
  "mpirun --mca {{ key }} {{ values[1] }} …",
  "ompi_info | grep {{ key }}",
  "mpirun --mca {{ key }}_base_verbose 10 …",
]

[[step]]
when = "key not in ('NCCL', 'RCCL', 'seed') and not differing and not of_open_mpi"
say = '''Pass the same {{ key }} to all hosts (mpirun -x, srun --export, the launcher's env
file), and look for a file that sets it on some of them.'''
run = ["env | grep {{ key }}", "grep -s {{ key }} /etc/nccl.conf ~/.nccl.conf ~/.bashrc"]
*/
with
    of_host as (
        select
            name,
            host,
            list(distinct value order by value) as settings,
            arg_min(line_at(file_id, line_no), line_no) as place,
            min(time) as at
        from setting
        where host is not null and name in (select name from nccl_shared_setting)
        group by name, host
    ),
    by_value as (
        select
            name,
            array_to_string(settings, ', ') as value,
            list(host order by host) as hosts,
            list(place) as places,
            min("at") as at
        from of_host
        group by all
    ),
    mismatch as (  -- NCCL's own complaint
        select
            arg_min(rank_a, line_no) as rank_a,
            arg_min(rank_b, line_no) as rank_b,
            nccl_version_text(version_a) as text_a,
            nccl_version_text(version_b) as text_b,
            min(time) as at,
            list(line_at(file_id, line_no)) as places
        from nccl_usage
        where event = 'version_mismatch'
        group by version_a, version_b
    )
select
    flatten(list(places[:3])) as evidence,
    min("at") as at,
    -- the minority, where there is one
    case
        when min(len(hosts)) = max(len(hosts))
        then list_sort(flatten(list(hosts)))
        else arg_min(hosts, len(hosts))
    end as hosts,
    name as "key",
    list(value order by value) as "values",
    list(hosts order by value) as hosts_by_value
from by_value
group by name
having count(*) > 1
union all by name
select
    places as evidence,
    "at",
    [rank_a, rank_b] as ranks,
    'NCCL' as "key",
    case when rank_a < rank_b then [text_a, text_b] else [text_b, text_a] end as "values",
    'definite' as confidence
from mismatch
union all by name
-- What was captured on each node: told once, by what matters most.
select
    flatten(list(lines order by matters desc, name))[1:12] as evidence,
    case when bool_and(is_even) then null else arg_max(fewest, (not is_even, matters)) end as hosts,
    arg_max(name, (matters, kind = 'package', name)) as "key",
    arg_max("values", (matters, kind = 'package', name)) as "values",
    arg_max(hosts_by_value, (matters, kind = 'package', name)) as hosts_by_value,
    list(name order by matters desc, name) as differing,
    case when bool_or(matters) then 'critical' else 'warning' end as severity,
    case when bool_or(matters) then 'probable' else 'possible' end as confidence,
    case when not bool_or(matters) then [] end as explains
from environment_difference
having count(*) > 0
union all by name
-- Open MPI's own complaint, of each process against a peer
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
    min(time) as at,
    list(distinct host order by host) filter (host is not null) as hosts,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    mca_framework as "key",
    [component, peer_component] as "values",
    true as of_open_mpi,
    'definite' as confidence,
    ['hang', 'crash.communication', 'crash.exception', 'network.connect_failure'] as explains
from mpi_component_choice
group by mca_framework, component, peer_component
union all by name
-- One seed for all but a few ranks: not a rule by which they differ, such as seed + rank.
(
    with
        of_rank as (
            select
                coalesce(s.rank, f.rank) as rank,
                min(value) as value,
                arg_min(line_at(s.file_id, s.line_no), s.line_no) as line
            from setting as s
            join file as f using (file_id)
            where s.name = 'seed' and coalesce(s.rank, f.rank) is not null
            group by all
            having count(distinct value) = 1
        ),
        by_seed as (
            select value, list(rank order by rank) as ranks, list(line order by rank) as lines
            from of_rank
            group by value
        )
    select
        flatten(list(lines[1:3] order by len(ranks), value)) as evidence,
        arg_min(ranks, len(ranks)) as ranks,
        'seed' as "key",
        list(value order by len(ranks) desc) as "values",
        'warning' as severity,
        'possible' as confidence,
        ['divergence.metric'] as explains
    from by_seed
    having count(*) = 2 and max(len(ranks)) >= 3 * min(len(ranks))
)
