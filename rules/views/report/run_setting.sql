-- view: one row per version or setting that these logs tell of, and value of it: kind = version |
-- variable | package | system, the ranks and hosts that have this value (none where its line names
-- none), differs: others have another one. Variables of a person or a node stay out.
with
    told as (
        select
            case
                when s.name in ('NCCL', 'RCCL', 'cudaDriverVersion') then 'version' else 'variable'
            end as kind,
            case s.name when 'cudaDriverVersion' then 'CUDA driver' else s.name end as name,
            s.value,
            coalesce(s.rank, f.rank) as rank,
            short_host(coalesce(s.host, f.host)) as host
        from setting s
        join file f using (file_id)
        union all
        select
            e.kind,
            case e.kind when 'package' then lower(replace(e.name, '_', '-')) else e.name end,
            e.value,
            coalesce(e.rank, f.rank),
            short_host(coalesce(e.host, f.host))
        from environment_entry e
        join file f using (file_id)
        where
            (e.kind <> 'variable' and e.kind <> 'package')
            or (
                e.kind = 'variable'
                and regexp_matches(
                    e.name,
                    '^(?:CUDA_|NCCL_|RCCL_|TORCH|PYTORCH_|UCX_|FI_|OMP_NUM_|VLLM_|DS_|NVTE_)'
                )
                and not regexp_matches(
                    e.name, 'HOST|ADDR|PORT|FILE|DIR|PATH|TOKEN|KEY|SECRET|RUN_ID|VISIBLE'
                )
            )
            or (
                e.kind = 'package'
                and regexp_matches(
                    e.name,
                    '(?i)^(?:torch|nvidia|cuda|triton|flash|transformer|deepspeed|megatron|vllm'
                    || '|xformers|apex|accelerate|lightning|numpy|ray|jax|tensorflow|nccl)'
                )
            )
    )
select
    kind,
    name,
    value,
    coalesce(list(distinct rank order by rank) filter (rank is not null), []) as ranks,
    coalesce(list(distinct host order by host) filter (host is not null), []) as hosts,
    count(*) over (partition by kind, name) > 1 as differs
from told
where value <> ''
group by kind, name, value
order by
    differs desc,
    list_position(['version', 'system', 'package', 'variable'], kind),
    name,
    len(hosts) desc,
    value
