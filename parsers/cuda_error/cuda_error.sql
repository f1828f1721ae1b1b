-- table: One row per line with a known error of the GPU runtime, as a program printed it; kind =
-- hardware | access | assert | fault | oom | capture | config | incompatible | library, as in
-- cuda_error_code; what is in no list is no error of the runtime. A bare name in a sentence
-- does not count where a program may only ask (TensorFlow on a host without a GPU says so).
with
    keyed_line as (
        select
            *,
            runtime_error_key(error_text) as key,
            case
                when
                    upper(api) in ('HIP', 'ROCM')
                    or regexp_matches(error_text, '^(hip|HIP|HSA|miopen)')
                then 'hip'
                when error_text like '%RESULT_ERROR%'
                then 'level_zero'
                when api = 'NPU'
                then 'acl'
                when api = 'TPU'
                then 'tpu'
                else 'cuda'
            end as line_api
        from cuda_error_line
    ),
    -- NCCL's lines begin with host and process, which its own grammar reads.
    nccl_line as (
        select
            file_id,
            line_no,
            any_value(host) as host,
            any_value(pid) as pid,
            max(level) = 'INFO' as is_info
        from
            (
                select file_id, line_no, host, pid, 'WARN' as level
                from nccl_warning
                union all
                select file_id, line_no, host, pid, coalesce(level, 'WARN')
                from nccl_cuda_failure
            )
        group by file_id, line_no
    ),
    -- What NCCL says at INFO and does without: no error of the process follows, or training does.
    tried_line as (
        select n.file_id, n.line_no
        from nccl_line n
        where
            n.is_info
            and (
                not exists (
                    from nccl_result r
                    where
                        r.file_id = n.file_id
                        and r.pid is not distinct from n.pid
                        and r.nccl_result not in (0, 7)
                        and r.line_no between n.line_no and n.line_no + 20
                )
                or exists (
                    from training_line t where t.file_id = n.file_id and t.line_no > n.line_no
                )
            )
    )
select
    s.file_id,
    s.line_no,
    s.time,
    coalesce(s.host, n.host) as host,
    s.rank,
    s.local_rank,
    s.task,
    coalesce(s.pid, n.pid) as pid,
    s.stream,
    s.line_api as api,
    s.said_as,
    c.code,
    -- the runtimes that have CUDA's errors under names of their own
    case
        s.api
        when 'MUSA'
        then replace(c.name, 'cuda', 'musa')
        when 'MACA'
        then replace(c.name, 'cuda', 'mc')
        else c.name
    end as name,
    c.kind,
    s.key as text
from keyed_line s
left join nccl_line n on n.file_id = s.file_id and n.line_no = s.line_no
join gpu_error_key c on c.api = s.line_api and (c.key = s.key or c.key = split_part(s.key, ' (', 1))
where
    (s.said_as <> 'name' or c.alone)
    and not exists (from tried_line t where t.file_id = s.file_id and t.line_no = s.line_no)
