-- table: one row per line of a log that tells of a full disk or a quota that is used up; `error`:
-- ENOSPC, EDQUOT, or torch_writer where only the writer of checkpoints failed.
select
    'log' as source,
    error,
    number,
    message,
    os_error_path(message) as path,
    host,
    rank,
    pid,
    time,
    file_id,
    line_no
from os_error
where
    error in ('ENOSPC', 'EDQUOT', 'torch_writer')
    -- shared memory, semaphores, watches and queue pairs run out with the same error
    and not regexp_matches(
        message,
        '/torch_[0-9]|/dev/shm|[Ss]hared memory|shm_open|memfd|NCCL |ibv_|inotify'
        || '|watch limit|semget|sem_open|SemLock|epoll_ctl|/sys/fs/cgroup|cgroup'
    )
    and not os_error_is_advice(message)
    -- a writer that failed where a disk did
    and not (error = 'torch_writer' and exists (from broken_disk))
