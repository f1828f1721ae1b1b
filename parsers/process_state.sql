-- Processes that wait in the kernel, or are stopped, with the function they wait in and what it belongs to.
-- only with process_state, kernel_stack
CREATE TABLE kernel_wait AS
WITH top AS (
  SELECT k.*, f.path FROM kernel_stack AS k JOIN file AS f USING (file_id)
  QUALIFY coalesce(k.line_no <> lag(k.line_no) OVER (PARTITION BY k.file_id, k.stream ORDER BY k.line_no) + 1, true)
), named AS (
  SELECT t.file_id, t.line_no, t.host, t.rank, t.kernel_function,
    coalesce(CASE WHEN t.line_no - o.line_no <= 2 THEN o.pid END, CASE WHEN t.line_no - m.line_no <= 3 THEN m.pid END, try_cast(nullif(regexp_extract(t.path, '([0-9]{3,8})[^0-9/]*$', 1), '') AS BIGINT)) AS pid
  FROM top AS t
  ASOF LEFT JOIN kernel_stack_of AS o ON o.file_id = t.file_id AND t.line_no >= o.line_no
  ASOF LEFT JOIN (SELECT file_id, line_no, pid FROM stack_mark WHERE pid IS NOT NULL UNION ALL SELECT file_id, line_no, pid FROM stack_process WHERE pid IS NOT NULL) AS m ON m.file_id = t.file_id AND t.line_no >= m.line_no
), every AS (
  SELECT file_id, line_no, host, rank, pid, left(state, 1) AS state, nullif(nullif(kernel_function, '-'), '?') AS kernel_function, cmdline FROM process_state WHERE pid IS NOT NULL
  UNION ALL BY NAME SELECT file_id, line_no, host, rank, pid, kernel_function FROM named WHERE pid IS NOT NULL
)
SELECT *, CASE
    WHEN state = 'T' OR regexp_matches(kernel_function, '^(?:do_signal_stop|do_jobctl_trap)') THEN 'stopped'
    WHEN coalesce(state, 'D') = 'D' THEN CASE
      WHEN regexp_matches(kernel_function, '^_?_?(?:nfs|rpc_|xprt_)') THEN 'NFS'
      WHEN regexp_matches(kernel_function, '^_?_?(?:ll_|cl_|osc_|ptlrpc|ldlm|mdc_|lov_|lu_|obd_)') THEN 'Lustre'
      WHEN regexp_matches(kernel_function, 'fuse|request_wait_answer') THEN 'a FUSE file system'
      WHEN regexp_matches(kernel_function, 'ceph') THEN 'Ceph'
      WHEN regexp_matches(kernel_function, 'gpfs|mmfs|cxiWait') THEN 'GPFS'
      WHEN regexp_matches(kernel_function, 'percpu_rwsem_wait|percpu_down|sb_start|sb_wait') THEN 'a frozen file system'
      WHEN regexp_matches(kernel_function, '^(?:_?nv|rm_|uvm_|os_(?:acquire|cond|delay))|nvidia') THEN 'the NVIDIA driver'
      WHEN regexp_matches(kernel_function, 'jbd2|ext4|xfs|btrfs|io_schedule|wait_on_(?:page|bit|buffer)|folio_wait|blk_|bio_|submit_bio|rq_qos|writeback|balance_dirty') THEN 'a block device'
    END END AS waits_on
FROM every;

COMMENT ON TABLE kernel_wait IS 'processes as ps and /proc/PID/stack show them, with what the kernel function they wait in belongs to';
