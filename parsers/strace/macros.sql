-- strace: from lines to calls, threads, descriptors and what each thread waits for. A trace can
-- have ten million lines, nearly all of them dull: only what is notable is kept as a table.
create macro strace_fd(args) as
    try_cast(regexp_extract(args, '^([0-9]+)(?:[<,)"]|$)', 1) as bigint)
;

-- What -y or -yy says the first argument is: a path, TCP:[here->there], pipe:[..], anon_inode:..
create macro strace_fd_is(args) as
    nullif(regexp_extract(args, '^[0-9]+<((?:->|<[^>]*>|[^<>])*)>', 1), '')
;

create macro strace_joined_path(folder, name) as
    case
        when name = ''
        then null
        when name[1] = '/' or folder = ''
        then name
        else rtrim(folder, '/') || '/' || name
    end
;

-- The path among the arguments, under the folder -y tells of. What read and write are given in
-- quotes is data.
create macro strace_path(call, args) as
    case
        when args[1] = '"'
        then nullif(regexp_extract(args, '^"((?:[^"\\]|\\.)*)"', 1), '')
        when regexp_matches(call, 'at2?$|^statx$')
        then
            strace_joined_path(
                regexp_extract(args, '^(?:AT_FDCWD|[0-9]+)<((?:->|<[^>]*>|[^<>])*)>, "', 1),
                regexp_extract(
                    args, '^(?:AT_FDCWD|[0-9]+)(?:<(?:->|<[^>]*>|[^<>])*>)?, "((?:[^"\\]|\\.)*)"', 1
                )
            )
    end
;

create macro strace_host_port(address, port) as
    case
        when address = '' or port = ''
        then null
        when contains(replace(address, '::ffff:', ''), ':')
        then '[' || address || ']:' || port
        else replace(address, '::ffff:', '') || ':' || port
    end
;

-- The address in a sockaddr.
create macro strace_sockaddr(args) as
    strace_host_port(
        regexp_extract(
            args, '(?:sin_addr=inet_addr\("|inet_pton\(AF_INET6, ")([0-9A-Fa-f:.]+)"', 1
        ),
        regexp_extract(args, 'sin6?_port=htons\(([0-9]+)\)', 1)
    )
;

-- The far end of a connected socket under -yy.
create macro strace_far_end(fd_is) as
    nullif(
        replace(
            regexp_extract(fd_is, '^(?:TCP|UDP|SCTP|DCCP|UDPLITE)(?:v6)?:\[.*->(.*)\]$', 1),
            '::ffff:',
            ''
        ),
        ''
    )
;

-- A call that waits until it has a lock on a file.
create macro strace_takes_lock(call, args) as
    call = 'flock' or (call = 'fcntl' and contains(args, 'SETLKW'))
;

-- The thread that a thread waits for to end (pthread_join): glibc's futex holds that one's number,
-- a little above that of the process.
create macro strace_awaited_thread(args, pid) as
    list_filter(
        [
            case
                when not contains(args, '_PRIVATE')
                then number_in(args, 'FUTEX_WAIT[A-Z_|]*, ([0-9]+), NULL')
            end
        ],
        lambda n: n between pid + 1 and pid + 100000
    )[1]
;

-- Seconds on the clock of the trace: of the day, going on beyond midnight, or since the epoch.
create macro strace_at(clock, first) as
    clock + case when first < 100000 and clock < first - 3600 then 86400 else 0 end
;

-- What an everyday call returned, as strace_line has it: an address is not kept.
create macro strace_result(call, returned) as
    case when returned <> 0 or call not in ('mmap', 'mremap', 'brk') then returned::varchar end
;

-- Two halves joined: the next word of a thread in a call is the call's return, or the end of the
-- thread, or nothing. Joining costs a sort: where not every call is asked for, of the everyday ones
-- only those are joined that may have taken long, failed, or not returned.
create macro strace_joined(every) as
    table
    with
        ends as (
            select file_id, line_no, pid, syscall
            from strace_returned
            where
                every
                or seconds is null
                or errno = 'ETIMEDOUT'
                and syscall <> 'futex'
                or errno = 'EAGAIN'
                and syscall = 'mmap'
                or (file_id, syscall)
                in (select (file_id, syscall) from strace_line where kind = 'cut')
        ),
        halves as (
            select l.file_id, l.line_no, coalesce(l.pid, f.own_tid) as tid, l.kind
            from strace_line l
            join strace_file f using (file_id)
            where l.kind in ('unfinished', 'cut', 'resumed', 'exit', 'killed')
            union all
            select file_id, line_no, pid, 'begun'
            from strace_begun b
            where
                every
                or (file_id, pid, syscall) in (
                    select (file_id, pid, syscall)
                    from ends
                    union all
                    select (file_id, pid, syscall)
                    from strace_line
                    where kind = 'resumed'
                )
                or (file_id, line_no) in (select (file_id, last_line) from strace_tail)
            union all
            select file_id, line_no, pid, 'resumed'
            from ends
        ),
        pairs as (
            select *, lead(line_no) over thread as next_line, lead(kind) over thread as next_kind
            from halves
            window thread as (partition by file_id, tid order by line_no)
        )
    select
        h.file_id,
        h.line_no,
        case when h.next_kind = 'resumed' then h.next_line end as end_line,
        t.last_line = h.line_no and not t.ended as never_returned
    from pairs h
    join strace_tail t on t.file_id = h.file_id and t.tid = h.tid
    where
        h.kind = 'unfinished'
        or h.kind = 'cut'
        and h.next_kind = 'resumed'
        and h.tid <> 0
        or h.kind = 'begun'
        and (every or h.next_kind = 'resumed' or t.last_line = h.line_no)
;

create macro strace_call(every) as
    table
    select
        file_id,
        line_no,
        line_no as end_line,
        trace,
        tid,
        at_s,
        syscall,
        args,
        result,
        target,
        errno,
        said,
        injected,
        seconds,
        -- An older strace that is told to end breaks into the call its thread was in: it would
        -- have been restarted.
        coalesce(errno like 'ERESTART%', false)
        and (file_id, line_no)
        in (select (file_id, last_line) from strace_tail where not ended) as never_returned,
        host,
        rank
    from strace_event
    where kind = 'call'
    union all
    select
        b.file_id,
        b.line_no,
        coalesce(h.end_line, b.line_no),
        b.trace,
        b.tid,
        b.at_s,
        b.syscall,
        case
            when b.kind = 'cut'
            then
                regexp_replace(
                    b.args,
                    '(?:\^C)?(?:(?:/[^ ]*/)?strace: )?Process [0-9]+ (?:attached|detached).*$|\^C$',
                    ''
                )
            else rtrim(b.args, ' ,')
        end || coalesce(
            case
                when
                    b.args = ''
                    or e.args = ''
                    or b.kind = 'cut'
                    and ends_with(b.args, ', ')
                    or starts_with(e.args, ',')
                then ''
                else ', '
            end
            || e.args,
            ''
        ),
        e.result,
        e.target,
        e.errno,
        e.said,
        e.injected,
        coalesce(
            e.seconds,
            case when e.clock is not null then strace_at(e.clock, f.first_clock) - b.at_s end
        ),
        h.never_returned,
        b.host,
        b.rank
    from
        (
            select *
            from strace_halves
            where not every
            union all
            select *
            from strace_joined(true)
            where every
            union all
            select *
            from strace_cut
        ) h
    join strace_opening b on b.file_id = h.file_id and b.line_no = h.line_no
    join strace_file f on f.file_id = h.file_id
    left join strace_ending e on e.file_id = h.file_id and e.line_no = h.end_line
;
