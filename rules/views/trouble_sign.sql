-- Signs that a job did not end well, whoever says so: with none of them a log that stops is only a log that was cut.
CREATE TABLE trouble_sign AS
SELECT CASE WHEN exitcode IN (-6, 134) OR signal = 6 THEN 'abort' ELSE 'exit' END AS sign, time, host, file_id, line_no FROM exit WHERE coalesce(exitcode, 0) <> 0 OR signal IS NOT NULL
UNION ALL BY NAME
SELECT 'scheduler' AS sign, time, host, file_id, line_no FROM scheduler_event
UNION ALL BY NAME
SELECT 'exception' AS sign, time, host, file_id, line_no FROM exception
WHERE class IN ('DistBackendError', 'DistNetworkError', 'DistStoreError', 'DistError', 'TimeoutError', 'SignalException', 'ChildFailedError', 'RuntimeError')
UNION ALL BY NAME
SELECT 'timeout' AS sign, time, host, file_id, line_no FROM c10d_timeout_line
UNION ALL BY NAME
SELECT 'heartbeat' AS sign, time, host, file_id, line_no FROM c10d_heartbeat
UNION ALL BY NAME
-- frames of an error on its way up; a lone one is plug-in probing
SELECT 'nccl error' AS sign, min(time) AS time, host, arg_min(file_id, line_no) AS file_id, min(line_no) AS line_no
FROM nccl_result WHERE nccl_result NOT IN (0, 7) GROUP BY host, pid HAVING count(*) > 2;

COMMENT ON TABLE trouble_sign IS 'signs that the job did not end well: bad exits, scheduler events, exceptions of the communication layer, NCCL errors';
