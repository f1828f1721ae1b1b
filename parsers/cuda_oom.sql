-- Sizes as programs print them, in bytes; K, M, G are binary. NULL where there is none, or where it is no size a machine has
-- (PyTorch prints 17179869184.00 GiB for "no limit" and for a process whose memory it may not see).
CREATE MACRO size_bytes_of(t) AS TRY_CAST(round(
  TRY_CAST(replace(regexp_extract(t, '([0-9][0-9.,]*)', 1), ',', '') AS DOUBLE)
  * CASE upper(regexp_extract(t, '[0-9][0-9.,]* *([KMGTkmgt]?)', 1))
      WHEN 'K' THEN 1024.0 WHEN 'M' THEN 1048576.0 WHEN 'G' THEN 1073741824.0 WHEN 'T' THEN 1099511627776.0 ELSE 1.0 END) AS BIGINT);

-- The size that stands at @ in a regular expression, as text: looked for in the message joined with blanks, then without
-- (a terminal wraps within words). What begins with @ must not begin within a number that was broken.
CREATE MACRO size_text(m, tight, pattern) AS coalesce(
  nullif(regexp_extract(m, replace(regexp_replace(pattern, '^@', '(?:^|[^0-9.] |[^0-9]\\. |[;(])@'), '@', '([0-9][0-9.,]* ?(?:[KMGT]i?B|bytes|B))'), 1), ''),
  nullif(regexp_extract(tight, replace(replace(regexp_replace(pattern, '^@', '(?:^|[^0-9.] |[^0-9]\\. |[;(])@'), ' ', ' ?'), '@', '([0-9][0-9.,]* ?(?:[KMGT]i?B|bytes|B))'), 1), ''));

-- PyTorch's messages with the lines that follow them, as numbers. One row per printed message.
CREATE TABLE torch_oom AS
WITH parts AS (
  SELECT file_id, oom_line, stream, string_agg(trim(text), ' ' ORDER BY nth) AS spaced, string_agg(trim(text), '' ORDER BY nth) AS glued,
         max(line_no) AS last_line
  FROM oom_message_part WHERE line_no - oom_line <= 14 AND nth <= 12
  GROUP BY file_id, oom_line, stream
),
whole AS (
  SELECT o.file_id, o.line_no, o.time, o.time_quality, o.host, o.rank, o.local_rank, o.task, o.pid, o.stream,
         o.error_type, o.device AS word, o.message AS first_line,
         regexp_replace(concat_ws(' ', o.message, p.spaced), '\s+', ' ', 'g') AS m,
         concat(trim(o.message), p.glued) AS tight, p.last_line
  FROM oom_message o
  LEFT JOIN parts p ON p.file_id = o.file_id AND p.oom_line = o.line_no AND p.stream IS NOT DISTINCT FROM o.stream
),
-- ranks that write at once leave two sentences in one line: each is a message
single AS (
  SELECT * EXCLUDE (sentence) REPLACE ('out of memory. Tried to allocate ' || sentence AS m, 'out of memory. Tried to allocate ' || sentence AS tight)
  FROM (SELECT *, unnest(string_split(m, 'out of memory. Tried to allocate ')[2:]) AS sentence FROM whole WHERE regexp_matches(m, '(?:out of memory\. Tried to allocate [0-9][^(]*\(GPU [0-9]+; .*){2}'))
  UNION ALL BY NAME
  FROM whole WHERE NOT regexp_matches(m, '(?:out of memory\. Tried to allocate [0-9][^(]*\(GPU [0-9]+; .*){2}')
),
texts AS (
  SELECT *,
    coalesce(size_text(m, tight, 'Tried to allocate @'), size_text(m, tight, 'Requested(?: size)?\s*: @')) AS requested_bytes,
    coalesce(size_text(m, tight, 'total capaci?ty of @'), size_text(m, tight, '@ total capaci?ty'), size_text(m, tight, 'Device limit\s*: @')) AS total_bytes,
    coalesce(size_text(m, tight, 'of which @ is free'), size_text(m, tight, '@ free[;)]'), size_text(m, tight, 'Free \(according to CUDA\): @')) AS free_bytes,
    size_text(m, tight, 'this process has @') AS self_bytes,
    coalesce(size_text(m, tight, 'allocated memory @ is allocated'), size_text(m, tight, '@ already allocated'),
             size_text(m, tight, 'Currently allocated\s*: @'), size_text(m, tight, 'MPS allocated: @')) AS allocated_bytes,
    size_text(m, tight, '@ is reserved by PyTorch but unallocated') AS u_bytes,
    size_text(m, tight, '@ reserved in total') AS r_bytes, size_text(m, tight, '@ cached') AS cached_bytes,
    size_text(m, tight, 'with @ allocated in private pools') AS private_pool_bytes,
    coalesce(size_text(m, tight, '@ allowed[;.)]'), size_text(m, tight, 'allowed: @'), size_text(m, tight, 'memory fraction\)?\s*: @'),
             size_text(m, tight, '[Ll]imit(?: is| of|:)? @')) AS l_bytes,
    size_text(m, tight, 'other allocations: @') AS other_bytes
  FROM single
),
numbers AS (
  SELECT * REPLACE (size_bytes_of(requested_bytes) AS requested_bytes, size_bytes_of(total_bytes) AS total_bytes, size_bytes_of(free_bytes) AS free_bytes, size_bytes_of(self_bytes) AS self_bytes, size_bytes_of(allocated_bytes) AS allocated_bytes, size_bytes_of(u_bytes) AS u_bytes, size_bytes_of(r_bytes) AS r_bytes, size_bytes_of(cached_bytes) AS cached_bytes, size_bytes_of(private_pool_bytes) AS private_pool_bytes, size_bytes_of(l_bytes) AS l_bytes, size_bytes_of(other_bytes) AS other_bytes),
    TRY_CAST(nullif(coalesce(nullif(regexp_extract(m, '\b(?:GPU|NPU|device) ([0-9]+)(?:[;. ]|$)', 1), ''),
                             regexp_extract(tight, '\((?:GPU|NPU) ?([0-9]+);', 1)), '') AS BIGINT) AS gpu_index,
    list_transform(regexp_extract_all(m, 'Process [0-9]+ has [0-9][0-9.]* ?(?:[KMGT]iB|bytes)'),
      lambda t: {'pid': TRY_CAST(regexp_extract(t, 'Process ([0-9]+)', 1) AS BIGINT), 'bytes': size_bytes_of(regexp_extract(t, 'has (.*)$', 1))}) AS processes,
    regexp_matches(tight, 'more ?than ?1 ?EB') AS absurd,
    first_line = 'error: out of memory' AS bare,
    -- only these wordings keep the pools of CUDA graphs apart from the cache
    NOT (tight LIKE '%capacty%' OR tight LIKE '%already allocated%' OR error_type LIKE '%torch.cuda.%' OR error_type = 'RuntimeError') AS tells_pools
  FROM texts
)
SELECT file_id, line_no, coalesce(last_line, line_no) AS last_line, time, time_quality, host, rank, local_rank, task, pid, stream, error_type, m AS message,
       CASE word WHEN 'HIP' THEN 'rocm' WHEN 'XPU' THEN 'xpu' WHEN 'NPU' THEN 'npu' WHEN 'MUSA' THEN 'musa' WHEN 'MPS' THEN 'mps' ELSE 'cuda' END AS device,
       gpu_index, requested_bytes, total_bytes, free_bytes, allocated_bytes, private_pool_bytes,
       -- each once, in the order they stand in
       list_filter(processes, lambda p, i: list_position(processes, p) = i) AS processes, absurd, bare, tells_pools,
       m LIKE '%would exceed allowed memory%' AS is_async,
       CASE WHEN self_bytes <= coalesce(total_bytes, self_bytes) * 1.05 THEN self_bytes END AS this_process_bytes,
       CASE WHEN l_bytes <= coalesce(total_bytes, l_bytes) * 1.05 AND l_bytes < 1125899906842624 THEN l_bytes
            WHEN m LIKE '%preemptively rejected%per_process_memory_fraction%' THEN l_bytes END AS limit_bytes,
       m LIKE '%preemptively rejected%' AS by_fraction,
       other_bytes,
       -- "cached" was the whole reserve in some versions and only its unused part in the oldest
       coalesce(u_bytes, CASE WHEN r_bytes >= allocated_bytes - 33554432 THEN greatest(r_bytes - allocated_bytes, 0) END,
                CASE WHEN cached_bytes >= allocated_bytes THEN cached_bytes - allocated_bytes ELSE cached_bytes END) AS unallocated_bytes
FROM numbers;
