-- table: one row per traced process (Python's trace, NicerTrace): how many lines it ran and the
-- last of them, in last_function. Who it is is told by the lines, or by the name
-- trace-HOST-LOCALRANK-PID. in_call: that is a collective; at_peers: the line calls, or is inside,
-- what waits for other ranks; at_end: it calls what a program calls last.
with
    line as (
        select
            t.file_id,
            t.stream,
            t.pid as printed_pid,
            t.event,
            t.source,
            t.line,
            t.statement,
            t.line_no,
            t.host,
            t.rank,
            last_value(t.function ignore nulls) over (
                partition by t.file_id, t.stream, t.pid
                order by t.line_no
                rows between unbounded preceding and current row
            ) as function
        from call_trace t
    ),
    ended as (
        select
            file_id,
            stream,
            printed_pid,
            any_value(host) as host,
            any_value(rank) as rank,
            count(*) as lines,
            max(line_no) as line_no,
            arg_max(source, line_no) as last_source,
            arg_max(line, line_no) as last_line,
            arg_max(trim(statement), line_no) as last_statement,
            arg_max(function, line_no) as last_function
        from line
        where event = 'line'
        group by file_id, stream, printed_pid
        having count(*) >= 3
    ),
    named as (
        select
            e.*,
            regexp_extract(
                f.path,
                '(?:^|/)[A-Za-z_]+-(.+)-([0-9]{1,3})-([0-9]{2,10})[.][a-z]+$',
                ['host', 'local_rank', 'pid']
            ) as name
        from ended e
        join file f using (file_id)
    )
select
    file_id,
    line_no,
    -- the whole of such a name looks like a host's
    case
        when name.host <> '' and coalesce(starts_with(host, name.host), true)
        then name.host
        else host
    end as host,
    rank,
    try_cast(nullif(name.local_rank, '') as bigint) as local_rank,
    coalesce(printed_pid, try_cast(nullif(name.pid, '') as bigint)) as pid,
    lines,
    last_source,
    last_line,
    last_statement,
    last_function,
    regexp_matches(
        last_function,
        '(?i)^(?:all_?reduce|all_?gather|reduce_?scatter|broadcast|barrier|all_?to_?all)'
    ) as in_call,
    regexp_matches(
        concat_ws(' ', last_statement, last_function),
        '(?i)all_?reduce|all_?gather|reduce_?scatter|broadcast|barrier|all_?to_?all|synchronize'
        || '|[.](?:wait|send|recv|isend|irecv)[(]'
    ) as at_peers,
    regexp_matches(
        last_statement,
        '(?i)(?:^|[.])(?:destroy_process_group|finali[sz]e|shut_?down|finish|_?exit|quit|close)[(]'
    ) as at_end
from named
