-- view: In the shape rules/views/missing_rank.sql asks for.
select
    'strace' as source,
    case when s.rank is not null then [s.rank] end as ranks,
    [s.pid] as pids,
    case when s.host is not null then [s.host] end as hosts,
    'pid '
    || s.pid
    || ' was stopped by '
    || s.signal_name
    || ' and did not go on'
    || case when s.threads > 1 then ' (' || s.threads || ' threads)' else '' end
    || case
        when s.signal_name in ('SIGTTOU', 'SIGTTIN')
        then ': it runs in the background and wants the terminal'
        else ''
    end as said,
    'definite' as grade,
    [line_at(s.file_id, s.line_no)] as evidence,
    'outside' as place,
    'host' as side,
    case
        when s.at_s is not null
        then
            make_timestamp(
                (
                    epoch_us(case when s.at_s < 100000 then f.day else timestamp '1970-01-01' end)
                    + s.at_s * 1000000
                )::bigint
            )
    end as "at"
from strace_stopped s
join strace_file f on f.file_id = s.file_id
