/*
title      = "Driver, CUDA, libraries or wheels do not fit together"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["crash.exception", "crash.config", "gpu.cuda_error", "hang"]
about      = """
A loader, the driver or a library says that versions do not match: the driver is too old, the wheel holds no code for this GPU or processor, a symbol or the C library is missing.
"""
remedy     = "Install the wheel built for this driver and GPU (nvidia-smi shows the highest CUDA version the driver supports), in the same environment on every host; after a driver update reboot or reload the modules."
falsely    = "A warning about an optional extension that the program does without."
references = ["https://docs.nvidia.com/deploy/cuda-compatibility/"]
*/
WITH told AS (
  SELECT m.what, m.message, m.rank, m.host, m.pid, m.time, m.file_id, m.line_no,
         EXISTS (FROM exception e WHERE e.file_id = m.file_id AND e.line_no = m.line_no) AS raised
  FROM mismatch_line m
  WHERE NOT regexp_matches(m.message, '(?i)^ *(?:#|//|>)|\bINFO\b|warn|optional|falling back|skipping|hint:|if you ')
), serious AS (
  -- without an exception a word counts only where training did not go on
  SELECT * FROM told t WHERE (raised OR what IN ('driver', 'architecture') OR regexp_matches(message, 'symbol lookup error|error while loading|GLIBC'))
    AND NOT EXISTS (FROM metric m WHERE m.file_id = t.file_id AND m.line_no > t.line_no + 5)
    AND (raised IS NOT TRUE OR EXISTS (FROM exception_verdict v WHERE v.file_id = t.file_id AND v.steps_after < 2 AND (v.raised_line = t.line_no OR v.line_no = t.line_no OR v.chain_line <= t.line_no AND v.raised_line >= t.line_no)))
), grouped AS (
  SELECT what, min_by(message, (file_id, line_no)) AS message, list(DISTINCT rank ORDER BY rank) FILTER (rank IS NOT NULL) AS ranks, list(DISTINCT host) FILTER (host IS NOT NULL) AS hosts,
         min(time) AS started, count(*) AS times, list(line_at(file_id, line_no) ORDER BY file_id, line_no)[:10] AS evidence
  FROM serious GROUP BY what
)
SELECT left(message, 300) AS summary, evidence, started AS at, ranks, hosts, what, left(message, 1000) AS message, times,
       nullif(regexp_extract(message, 'undefined symbol: ([^ ,]+)', 1), '') AS symbol,
       coalesce(nullif(regexp_extract(message, '([^ :''"]+\.so[.0-9]*): (?:undefined|cannot open)', 1), ''), nullif(regexp_extract(message, 'required by ([^ )]+)', 1), '')) AS library,
       coalesce(nullif(regexp_extract(message, 'found version ([0-9.]+)', 1), ''), nullif(regexp_extract(message, 'version .((?:GLIBC|GLIBCXX|CXXABI)_[0-9.]+)', 1), ''), nullif(regexp_extract(message, 'client has the version ([0-9.]+)', 1), '')) AS version,
       nullif(regexp_extract(message, '(sm_[0-9]+a?)', 1), '') AS architecture
FROM grouped
