-- table: One row per peer that a program's own connection (no collective's, no service outside)
-- could not reach, as the exception tells that ended it; in the columns of connect_failure. Only
-- where such exceptions are all that the run ended with: a peer that failed by itself is refused,
-- too.
-- only with traceback_end, exception_line
with
    ended as (
        select f.*, x."class" as errno_class, x.text, x.peer, x.port
        from fatal_exception f
        left join exception_errno x using (file_id, line_no)
        where f.certain and f.kind in ('own', 'config', 'checkpoint', 'disk', 'memory', 'gpu')
    )
select
    'exception' as source,
    peer,
    min(port) as port,
    text as error,
    count(*) as attempts,
    host,
    rank,
    pid,
    min(time) as time,
    file_id,
    min(line_no) as line_no
from ended
where
    errno_class in ('refused', 'timed_out', 'unreachable')
    and kind = 'own'
    and peer is not null
    and not regexp_matches(
        message, 'HTTPS?ConnectionPool|https?://|Cannot connect to host|Max retries exceeded'
    )
    and class not in (select exception_class from service_exception)
    and not exists (
        from ended o
        where coalesce(o.errno_class, '') not in ('refused', 'timed_out', 'unreachable', 'peer')
    )
    and not exists (from c10d_timeout_line)
    and not exists (from scheduler_event)
    and not exists (from oom_event)
    and not exists (from death where signal in (4, 6, 7, 8, 9, 11))
group by all
