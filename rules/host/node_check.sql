/*
title = "A test of nodes says that a node is bad"
severity = "critical"
confidence = "probable"
status = "experimental"
explains = ["crash", "hang", "divergence", "loss.nan", "gpu.cuda_error"]
transient = true
about = """
A test that runs over all nodes before or after a job failed: a collective did not pass or a GPU
took no memory (torch-distributed-gpu-test and similar tools), nccl-tests received wrong values, a
health check of the node failed. Where other nodes pass the same test the node is to blame; where
all fail one of them, or the network between them, holds up the rest.
"""
false_positives = """
A test that was started with wrong addresses fails on good nodes. An error that NCCL returned to
nccl-tests is held against a node only where another one passed.
"""
references = [
  "https://github.com/NVIDIA/nccl-tests",
  "https://github.com/mej/nhc",
]

[[summary]]
when = "test == 'nccl-tests' and not wrong"
say = '''nccl-tests failed{% if hosts %} on {{ hosts | names }}{% endif %}: {{ message | cut }}'''

[[summary]]
when = "test == 'nccl-tests'"
say = '''nccl-tests received {{ wrong | count('wrong value') }}{% if hosts %} with
  {{ hosts | names }}{% endif %}: data is corrupted on a GPU or on the way'''

[[summary]]
when = "check_name"
say = '''The health check {{ check_name }} failed{% if hosts %} on {{ hosts | names }}{% endif %}
  {%- if message %}: {{ message | cut }}{% endif %}'''

[[summary]]
when = "test == 'slurm'"
say = "Slurm keeps {{ hosts | names }} out of work: {{ message | cut }}"

[[summary]]
when = "test == 'allocation'"
say = "A test of nodes cannot allocate memory on {{ hosts | names }}"

[[summary]]
when = "peers_well"
say = '''The test of nodes fails on {{ hosts | names }}, while
  {{ peers_well | count('other node') }} {{ 'passes' if peers_well == 1 else 'pass' }} it'''

[[summary]]
when = "peers"
say = "All {{ hosts | length }} nodes fail the test: {{ hosts | names }}"

[[summary]]
say = '''The test of nodes fails on {{ hosts | names }}
  {%- if message %}: {{ message | cut }}{% endif %}'''

[[step]]
when = "(peers_well or test in ('health', 'allocation', 'slurm')) and test != 'nccl-tests'"
say = "Leave {{ hosts | names }} out of the next job and test the GPUs there."
run = [
  "@leave_out hosts",
  "dcgmi diag -r 3",
  "dcgmi diag -r 4",
  "dmesg -T",
]

[[step]]
when = "test == 'health' and not hosts"
say = '''
Find out which node wrote this log, leave it out of the next job and test its GPUs: the check does
not name it.
'''
run = ["sinfo -R", "dcgmi diag -r 3", "dmesg -T"]

[[step]]
when = "test == 'nccl-tests' and not wrong"
say = '''Leave {{ hosts | names }} out, and run the test there alone: what fails alone is the node,
what
  fails only with others is the network between them (try NCCL_SOCKET_IFNAME=lo on one node).'''
run = [
  "@leave_out hosts",
  "NCCL_DEBUG=INFO NCCL_SOCKET_IFNAME=lo all_reduce_perf -b 32M -e 1G -f 2 -g 8",
  "dcgmi diag -r 3",
]

[[step]]
when = "test == 'nccl-tests' and wrong"
say = '''Find the bad part by halves: run the test on each node alone, then on half of the GPUs
  (CUDA_VISIBLE_DEVICES), then on pairs; what stays wrong alone is the GPU, what is only wrong
  between nodes is the network. Then diagnose that node.'''
run = ["all_reduce_perf -b 32M -e 8G -f 2 -c 1 -g 8", "dcgmi diag -r 4"]

[[step]]
when = "test == 'collective' and not peers_well"
say = '''Each GPU says so when any other does not answer: run the test on each node alone, then on
  pairs of nodes, and look for the one that fails in every pair.'''
run = ["python -m torch.distributed.run --nproc_per_node 8 torch-distributed-gpu-test.py"]
*/
select
    test,
    flatten(list(lines order by file_id))[1:20] as evidence,
    min("at") as "at",
    list(distinct host order by host) filter (host is not null) as hosts,
    case when test = 'nccl-tests' then (select sum(value_lost)::bigint from node_test) end as wrong,
    check_name,
    arg_min(message, file_id) as message,
    case
        when count(distinct host) = 1
        then nullif(list_sort(list_distinct(flatten(list(failed_gpus)))), [])
    end as failed_gpus,
    max(peers) as peers,
    max(peers_well) as peers_well,
    case
        -- what was built does not fit the GPU, whatever node it is in
        when is_of_software and exists (from runtime_error where kind in ('incompatible', 'config'))
        then 'info'
        -- nor is a node to blame where no other one passed the same test: what NCCL returned is
        -- told with its reason elsewhere
        when is_of_library and max(peers_well) = 0
        then 'info'
    end as severity,
    case
        when is_of_library and max(peers_well) = 0
        then 'possible'
        when test in ('nccl-tests', 'health')
        then 'definite'
        when min(peers) > 0 and max(peers_well) = 0
        then 'possible'
    end as confidence
from
    (
        select
            *,
            bool_and(is_result and message like 'unhandled cuda error%') over same_test
            as is_of_software,
            bool_and(is_result) over same_test as is_of_library
        from
            (
                select
                    *,
                    -- ncclGetErrorString
                    test = 'nccl-tests'
                    and coalesce(
                        regexp_matches(
                            message,
                            '^(?:unhandled |internal error|remote process'
                            || '|invalid (?:usage|argument))'
                        ),
                        false
                    ) as is_result
                from node_result
                where not passed
            )
        window same_test as (partition by test, check_name)
    )
group by test, check_name, is_of_software, is_of_library
union all by name
-- What Slurm keeps out of work for a GPU or a check of the node; a node that the job does not use
-- is worth knowing, no more.
select
    'slurm' as test,
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    list(distinct host order by host) as hosts,
    reason as message,
    case when not bool_or(of_the_job) then 'warning' end as severity,
    case when not bool_or(of_the_job) then [] end as explains
from node_out
where class in ('gpu', 'health')
group by reason
