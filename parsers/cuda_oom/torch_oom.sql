-- table: PyTorch's messages with the lines that follow them, as numbers. One row per printed
-- message.
with
    parts as (
        select
            file_id,
            oom_line,
            stream,
            -- a broken line may end in a sign that says so (terminals: \, mail: =)
            string_agg(rtrim(trim(text), '\='), ' ' order by nth) as spaced,
            string_agg(rtrim(trim(text), '\='), '' order by nth) as glued,
            max(line_no) as last_line
        from oom_message_part
        where line_no - oom_line <= 14 and nth <= 12
        group by file_id, oom_line, stream
    ),
    whole as (
        select
            o.file_id,
            o.line_no,
            o.time,
            o.time_quality,
            o.host,
            o.rank,
            o.local_rank,
            o.task,
            o.pid,
            o.stream,
            o.error_type,
            o.device as word,
            o.message as first_line,
            regexp_replace(concat_ws(' ', rtrim(o.message, '\='), p.spaced), '\s+', ' ', 'g') as m,
            concat(rtrim(trim(o.message), '\='), p.glued) as tight,
            p.last_line
        from oom_message o
        left join
            parts p
            on p.file_id = o.file_id
            and p.oom_line = o.line_no
            and p.stream is not distinct from o.stream
    ),
    -- ranks that write at once leave two sentences in one line: each is a message
    single as (
        select
            * exclude (sentence) replace (
                'out of memory. Tried to allocate ' || sentence as m,
                'out of memory. Tried to allocate ' || sentence as tight
            )
        from
            (
                select
                    *, unnest(string_split(m, 'out of memory. Tried to allocate ')[2:]) as sentence
                from whole
                where
                    regexp_matches(
                        m, '(?:out of memory\. Tried to allocate [0-9][^(]*\(GPU [0-9]+; .*){2}'
                    )
            )
        union all by name
        from whole
        where
            not regexp_matches(
                m, '(?:out of memory\. Tried to allocate [0-9][^(]*\(GPU [0-9]+; .*){2}'
            )
    ),
    texts as (
        select
            *,
            coalesce(
                size_text(m, tight, 'Tried to allocate @'),
                size_text(m, tight, 'Requested(?: size)?\s*: @')
            ) as requested_bytes,
            coalesce(
                size_text(m, tight, 'total capaci?ty of @'),
                size_text(m, tight, '@ total capaci?ty'),
                size_text(m, tight, 'Device limit\s*: @')
            ) as total_bytes,
            coalesce(
                size_text(m, tight, 'of which @ is free'),
                size_text(m, tight, '@ free[;)]'),
                size_text(m, tight, 'Free \(according to CUDA\): @')
            ) as free_bytes,
            size_text(m, tight, 'this process has @') as self_bytes,
            coalesce(
                size_text(m, tight, 'allocated memory @ is allocated'),
                size_text(m, tight, '@ already allocated'),
                size_text(m, tight, 'Currently allocated\s*: @'),
                size_text(m, tight, 'MPS allocated: @')
            ) as allocated_bytes,
            size_text(m, tight, '@ is reserved by PyTorch but unallocated') as u_bytes,
            size_text(m, tight, '@ reserved in total') as r_bytes,
            size_text(m, tight, '@ cached') as cached_bytes,
            size_text(m, tight, 'with @ allocated in private pools') as private_pool_bytes,
            coalesce(
                size_text(m, tight, '@ allowed[;.)]'),
                size_text(m, tight, 'allowed: @'),
                size_text(m, tight, 'memory fraction\)?\s*: @'),
                size_text(m, tight, '[Ll]imit(?: is| of|:)? @')
            ) as l_bytes,
            size_text(m, tight, 'other allocations: @') as other_bytes
        from single
    ),
    numbers as (
        select
            * replace (
                size_bytes_of(requested_bytes) as requested_bytes,
                size_bytes_of(total_bytes) as total_bytes,
                size_bytes_of(free_bytes) as free_bytes,
                size_bytes_of(self_bytes) as self_bytes,
                size_bytes_of(allocated_bytes) as allocated_bytes,
                size_bytes_of(u_bytes) as u_bytes,
                size_bytes_of(r_bytes) as r_bytes,
                size_bytes_of(cached_bytes) as cached_bytes,
                size_bytes_of(private_pool_bytes) as private_pool_bytes,
                size_bytes_of(l_bytes) as l_bytes,
                size_bytes_of(other_bytes) as other_bytes
            ),
            try_cast(
                nullif(
                    coalesce(
                        nullif(
                            regexp_extract(m, '\b(?:GPU|NPU|device) ([0-9]+)(?:[;. ]|$)', 1), ''
                        ),
                        regexp_extract(tight, '\((?:GPU|NPU) ?([0-9]+);', 1)
                    ),
                    ''
                ) as bigint
            ) as gpu_index,
            list_transform(
                regexp_extract_all(m, 'Process [0-9]+ has [0-9][0-9.]* ?(?:[KMGT]iB|bytes)'),
                lambda t: {
                    'pid':try_cast(regexp_extract(t, 'Process ([0-9]+)', 1) as bigint),
                    'bytes':size_bytes_of(regexp_extract(t, 'has (.*)$', 1))
                }
            ) as processes,
            regexp_matches(tight, 'more ?than ?1 ?EB') as absurd,
            first_line = 'error: out of memory' as bare,
            -- only these wordings keep the pools of CUDA graphs apart from the cache
            not (
                tight like '%capacty%'
                or tight like '%already allocated%'
                or error_type like '%torch.cuda.%'
                or error_type = 'RuntimeError'
            ) as tells_pools
        from texts
    )
select
    file_id,
    line_no,
    coalesce(last_line, line_no) as last_line,
    time,
    time_quality,
    host,
    rank,
    local_rank,
    task,
    pid,
    stream,
    error_type,
    m as message,
    case
        word
        when 'HIP'
        then 'rocm'
        when 'XPU'
        then 'xpu'
        when 'NPU'
        then 'npu'
        when 'MUSA'
        then 'musa'
        when 'MPS'
        then 'mps'
        else 'cuda'
    end as device,
    gpu_index,
    requested_bytes,
    total_bytes,
    free_bytes,
    allocated_bytes,
    private_pool_bytes,
    -- each once, in the order they are in
    list_filter(processes, lambda p, i:list_position(processes, p) = i) as processes,
    absurd,
    bare,
    tells_pools,
    m like '%would exceed allowed memory%' as is_async,
    case
        when self_bytes <= coalesce(total_bytes, self_bytes) * 1.05 then self_bytes
    end as this_process_bytes,
    case
        when l_bytes <= coalesce(total_bytes, l_bytes) * 1.05 and l_bytes < 1125899906842624
        then l_bytes
        when m like '%preemptively rejected%per_process_memory_fraction%'
        then l_bytes
    end as limit_bytes,
    m like '%preemptively rejected%' as by_fraction,
    other_bytes,
    -- "cached" was the whole reserve in some versions and only its unused part in the oldest
    coalesce(
        u_bytes,
        case
            when r_bytes >= allocated_bytes - 33554432 then greatest(r_bytes - allocated_bytes, 0)
        end,
        case
            when cached_bytes >= allocated_bytes
            then cached_bytes - allocated_bytes
            else cached_bytes
        end
    ) as unallocated_bytes
from numbers
