-- Lines of logs about full disks and limits, without those that mean something else by the same words.
CREATE MACRO os_error_path(message) AS coalesce(
  nullif(regexp_extract(message, '(?:device|exceeded|files): ?[''"‘]([^''"’]+)[''"’]', 1), ''),
  nullif(regexp_extract(message, '[''"‘<](/[^''"’>]+)[''"’>]', 1), ''),
  nullif(regexp_extract(message, '(?:^|[ (])(/[^ :,()]+):? (?:failed: )?(?:[Nn]o space left|[Dd]isk quota|[Tt]oo many open)', 1), ''),
  nullif(regexp_extract(message, '(?:write|open|mkdir|create|copy|rename|sync)[a-z]* (?:to |file |error )?(/[^ :,()''"]+)', 1), ''));

CREATE VIEW disk_full AS
SELECT 'log' AS source, error, number, message, os_error_path(message) AS path, host, rank, pid, time, file_id, line_no
FROM os_error
WHERE error IN ('ENOSPC', 'EDQUOT', 'torch_writer')
  -- shared memory, semaphores, watches and queue pairs run out with the same error
  AND NOT regexp_matches(message, '/torch_[0-9]|/dev/shm|[Ss]hared memory|shm_open|memfd|NCCL |ibv_|inotify|watch limit|semget|sem_open|SemLock|epoll_ctl|/sys/fs/cgroup|cgroup')
  -- advice and comments
  AND NOT regexp_matches(message, '^ *(?:#|//|\*|>)|[Hh]int|[Ii]f you (?:see|get)|may (?:be|mean|indicate)|might|to avoid|in case of|could be');

CREATE VIEW limit_reached AS
SELECT 'log' AS source,
       CASE error WHEN 'EMFILE' THEN 'open files' WHEN 'EAGAIN' THEN 'processes and threads' WHEN 'watches' THEN 'inotify watches' ELSE error END AS "limit",
       CASE WHEN contains(lower(message), 'in system') THEN 'ENFILE' WHEN error = 'EAGAIN' AND contains(message, 'Cannot allocate') THEN 'ENOMEM' WHEN error LIKE 'E%' THEN error END AS errno,
       number, message, os_error_path(message) AS path, host, rank, pid, time, file_id, line_no
FROM os_error
WHERE (error IN ('EMFILE', 'EAGAIN', 'watches') OR error = 'locked memory' AND NOT contains(message, 'unlimited') AND contains(message, 'RLIMIT_MEMLOCK is'))
  AND NOT regexp_matches(message, '^ *(?:#|//|\*|>)|[Hh]int|[Ii]f you (?:see|get)|may (?:be|mean|indicate)|might|to avoid|in case of|could be')
UNION ALL BY NAME
SELECT 'kernel' AS source, 'open files' AS "limit", 'ENFILE' AS errno, 23 AS number, message, host, time, file_id, line_no FROM kernel_event WHERE kind = 'file_max';
