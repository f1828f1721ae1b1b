-- One row per line that names a known error of the GPU runtime; what is not in the list of codes is no error of it.
-- A name in a sentence is looked for only where the program did not merely find no GPU (TensorFlow on a host without one says so).
CREATE TABLE cuda_error AS
WITH said AS (
  SELECT *, regexp_replace(lower(trim(regexp_replace(regexp_replace(error_text, '^([A-Z]+_STATUS_[A-Z_]+|cudaError[A-Z][A-Za-z]+|hipError[A-Z][A-Za-z]+).*$', '\1'), '( \(| at |: |\. |; |, ).*$', ''))), '\.$', '') AS key
  FROM cuda_error_line
), codes AS (
  SELECT code, name, kind, regexp_replace(lower(text), '\.$', '') AS key FROM cuda_error_code WHERE text IS NOT NULL
  UNION ALL SELECT code, name, kind, lower(name) FROM cuda_error_code
  UNION ALL SELECT code, name, kind, lower(driver_name) FROM cuda_error_code WHERE driver_name IS NOT NULL
)
SELECT s.file_id, s.line_no, s.time, s.host, s.rank, s.local_rank, s.task, s.pid, s.stream, CASE WHEN s.api = 'HIP' OR s.error_text LIKE 'hip%' OR s.error_text LIKE 'HSA%' THEN 'hip' WHEN s.error_text LIKE '%RESULT_ERROR%' THEN 'level_zero' ELSE 'cuda' END AS api,
       s.said_as, c.code, c.name, c.kind, s.key AS text
FROM said s JOIN codes c ON c.key = s.key OR c.key = split_part(s.key, ' (', 1)
WHERE NOT (s.said_as = 'name' AND (coalesce(c.code IN (2, 100, 3, 1, 800, 801, 201, 400), false) OR c.kind = 'library' OR c.name = 'HSA_STATUS_ERROR_OUT_OF_RESOURCES'));
COMMENT ON TABLE cuda_error IS 'errors of the CUDA or HIP runtime as programs printed them; kind = hardware | access | assert | fault | oom | capture | config | incompatible | library';
