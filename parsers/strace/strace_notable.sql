-- table: one row per call that rules look at: it made something, failed in more than a usual
-- way, took long, or never returned.
select *
from strace_call(false)
where
    never_returned
    or seconds >= 1
    or syscall in (
        'clone',
        'clone3',
        'fork',
        'vfork',
        'socket',
        'connect',
        'accept',
        'accept4',
        'flock',
        'kill',
        'tgkill',
        'statfs',
        'fstatfs',
        'prlimit64',
        'getrlimit',
        'ugetrlimit',
        'setrlimit'
    )
    or (syscall in ('open', 'openat', 'creat', 'pipe', 'pipe2') and errno is null)
    or (syscall = 'fcntl' and contains(args, 'SETLK'))
    or (syscall = 'getsockopt' and contains(args, 'SO_ERROR'))
    or (syscall in ('poll', 'ppoll') and contains(args, 'POLLOUT') and said = 'Timeout')
    or errno in (
        'ENOSPC',
        'EDQUOT',
        'EMFILE',
        'ENFILE',
        'ENOMEM',
        'EIO',
        'ESTALE',
        'EROFS',
        'EHOSTUNREACH',
        'ENETUNREACH',
        'ECONNREFUSED',
        'ECONNRESET'
    )
    or (errno = 'ETIMEDOUT' and syscall not like 'futex%')
    or (errno = 'EAGAIN' and syscall in ('clone', 'clone3', 'fork', 'vfork', 'mlock', 'mmap'))
union all by name
select *
from strace_quick_call
where errno = 'ETIMEDOUT' and syscall <> 'futex' or errno = 'EAGAIN' and syscall = 'mmap'
