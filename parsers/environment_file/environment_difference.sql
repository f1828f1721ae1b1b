-- table: One row per variable, package or part of the system that nodes have captured with other
-- values: `hosts_by_value` says who has which, `matters` whether ranks that differ in it are known
-- to fail or to compute another thing. Variables that name the node, the rank or the session differ
-- by nature and are left out.
with
    entry as (
        select
            coalesce(e.host, f.host) as host,
            e.kind,
            case
                e.kind when 'package' then lower(replace(e.name, '_', '-')) else e.name
            end as name,
            e.value,
            e.file_id,
            e.line_no
        from environment_entry as e
        join file as f using (file_id)
        where coalesce(e.host, f.host) is not null
    ),
    kept as (
        select *
        from entry
        where
            kind <> 'variable'
            or regexp_matches(
                name,
                '^(?:CUDA_|CUDNN_|NCCL_|RCCL_|TORCH|PYTORCH_|NVTE_|TF_|XLA_|JAX_|HIP_|HSA_'
                || '|ROCM_|FI_|UCX_'
                || '|OMP_NUM_|MKL_|HF_|TRANSFORMERS_|ACCELERATE_'
                || '|DEEPSPEED_|PYTHONPATH$|PYTHONHASHSEED$'
                || '|LD_LIBRARY_PATH$|LD_PRELOAD$|VIRTUAL_ENV$|CONDA_PREFIX$)'
            )
            and not regexp_matches(
                name, 'VISIBLE_DEVICES|RANK|_HOST|_ADDR|_PORT|DEBUG_FILE|RUN_ID|ERROR_FILE|RESTART'
            )
    ),
    by_value as (
        select
            kind,
            name,
            value,
            list(distinct host order by host) as hosts,
            arg_min(line_at(file_id, line_no), (file_id, line_no)) as line
        from kept
        group by all
    )
select
    kind,
    name,
    list(value order by len(hosts) desc, value) as "values",
    list(hosts order by len(hosts) desc, value) as hosts_by_value,
    list(line order by len(hosts) desc, value) as lines,
    arg_min(hosts, len(hosts)) as fewest,
    min(len(hosts)) = max(len(hosts)) as is_even,
    regexp_matches(
        name,
        '^(?:NCCL_|RCCL_|FI_|UCX_|PYTORCH_|NVTE_|LD_|PYTHONPATH$)'
        || '|^torch$|nccl|^deepspeed$|^transformer-engine'
        || '|^flash-attn$|^megatron|^accelerate$|^transformers$|^jax|^triton$|[Vv]ersion$|CUDA used'
    ) as matters
from by_value
group by kind, name
having count(*) > 1
