-- view: One row per call on a descriptor after which its thread did nothing for half a minute, in a
-- trace of one thread that tells when calls began and not how long they took: it lasted up to
-- gap_seconds, or the program computed after it. other_seconds: the longest such gap elsewhere.
with
    plain as (  -- no durations (-T), no other thread (-f)
        select s.file_id, f.first_clock
        from strace_file f
        join
            (
                select file_id, seconds, pid
                from strace_line
                where kind in ('call', 'unfinished', 'resumed', 'cut')
                union all
                select file_id, seconds, pid
                from strace_quick
            ) s using (file_id)
        where f.first_clock is not null
        group by all
        having count(s.seconds) = 0 and count(s.pid) = 0
    ),
    step as (
        select
            c.file_id,
            c.line_no,
            c.syscall,
            c.args,
            strace_at(c.clock, p.first_clock) as at_s,
            lead(strace_at(c.clock, p.first_clock)) over (partition by c.file_id order by c.line_no)
            - strace_at(c.clock, p.first_clock) as gap_seconds
        from plain p
        join
            (
                select file_id, line_no, syscall, args, clock
                from strace_line
                where kind in ('call', 'unfinished', 'cut')
                union all
                select file_id, line_no, syscall, args, clock
                from strace_quick
            ) c using (file_id)
    ),
    longest as (  -- the longest two of a file
        select file_id, max(gap_seconds, 2) as gaps
        from step
        where gap_seconds is not null
        group by file_id
    )
select
    s.file_id,
    s.line_no,
    s.syscall,
    s.args,
    strace_fd(s.args) as fd,
    s.at_s,
    s.gap_seconds,
    l.gaps[2] as other_seconds
from step s
join longest l using (file_id)
where
    s.gap_seconds >= 30
    and s.gap_seconds = l.gaps[1]
    and s.gap_seconds > 10 * coalesce(l.gaps[2], 0)
    and s.syscall in (
        'read',
        'pread64',
        'readv',
        'preadv',
        'write',
        'pwrite64',
        'writev',
        'fsync',
        'fdatasync',
        'close'
    )
    and strace_fd(s.args) > 2
