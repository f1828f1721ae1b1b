-- table: one row per line of a log that tells of a full disk or a quota that is used up; `error`:
-- ENOSPC, EDQUOT, or torch_writer where only the writer of checkpoints failed; is_of_room: false
-- where nothing says why that was, but for numpy, whose count is short where room is short.
select
    'log' as source,
    o.error,
    o.number,
    o.message,
    o.error <> 'torch_writer' or contains(o.message, ' requested and ') as is_of_room,
    os_error_path(o.message) as path,
    o.host,
    -- of the rank that raised it, not of the one that tells of all
    coalesce(x.rank, o.rank) as rank,
    o.pid,
    o.time,
    file_id,
    line_no
from os_error as o
left join exception as x using (file_id, line_no)
where
    o.error in ('ENOSPC', 'EDQUOT', 'torch_writer')
    -- shared memory, semaphores, watches and queue pairs run out with the same error
    and not regexp_matches(
        o.message,
        '/torch_[0-9]|/dev/shm|[Ss]hared memory|shm_open|memfd|NCCL |ibv_|inotify'
        || '|watch limit|semget|sem_open|SemLock|epoll_ctl|/sys/fs/cgroup|cgroup'
    )
    and not os_error_is_advice(o.message)
    -- a writer that failed where a disk did
    and not (o.error = 'torch_writer' and exists (from broken_disk))
