-- view: One row per process that a signal stopped and that did not go on, by strace.
select
    'strace' as source,
    'stopped_by' as finding,
    case when s.rank is not null then [s.rank] end as ranks,
    [s.pid] as pids,
    case when s.host is not null then [s.host] end as hosts,
    s.signal_name as signal,
    s.threads,
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
