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
                when api in ('HIP', 'ROCm') or regexp_matches(error_text, '^(hip|HIP|HSA|miopen)')
                then 'hip'
                when error_text like '%RESULT_ERROR%'
                then 'level_zero'
                else 'cuda'
            end as line_api
        from cuda_error_line
    )
select
    s.file_id,
    s.line_no,
    s.time,
    s.host,
    s.rank,
    s.local_rank,
    s.task,
    s.pid,
    s.stream,
    s.line_api as api,
    s.said_as,
    c.code,
    c.name,
    c.kind,
    s.key as text
from keyed_line s
join gpu_error_key c on c.api = s.line_api and (c.key = s.key or c.key = split_part(s.key, ' (', 1))
where s.said_as <> 'name' or c.alone
