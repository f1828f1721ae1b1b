-- Connections that could not be made, whoever tried: one line per source of such a view.
CREATE TABLE connect_failure AS
SELECT * FROM connect_failure_nccl
UNION ALL BY NAME SELECT * FROM connect_failure_strace
UNION ALL BY NAME SELECT * FROM connect_failure_c10d
;

COMMENT ON TABLE connect_failure IS 'connections that could not be made: who (host, rank, pid, gpu_index) failed to reach whom (peer, port), and why';
