-- table: One row per connection that could not be made: who (host, rank, pid, gpu_index) failed to
-- reach whom (peer, port), and why. error: as printed; failure: refused | timed_out | unreachable
-- | unresolved, NULL where the log does not tell; source: nccl | strace | c10d | gloo | ucx | mpi |
-- ssh | slurmctld | tpu_driver | exception | the library of library_failure.
with
    attempt as (
        from connect_failure_nccl
        union all by name
        from connect_failure_strace
        union all by name
        from connect_failure_c10d
        union all by name
        from connect_failure_ucx
        union all by name
        from connect_failure_exception
        union all by name
        select
            'told' as source,
            coalesce(peer, 'rank ' || peer_rank) as peer,
            case
                when peer is not null
                then
                    try_cast(
                        regexp_extract(
                            text, '[0-9A-Za-z\]]:([1-9][0-9]{1,4})(?:[^0-9A-Za-z:.]|$)', 1
                        ) as bigint
                    )
            end as port,
            text as error,
            host,
            rank,
            min(time) as time,
            file_id,
            min(line_no) as line_no,
            count(*) as attempts
        from communication_told
        where kind = 'connect'
        group by all
        union all by name
        select 'mpi' as source, peer, port, host, rank, pid, time, file_id, line_no, 1 as attempts
        from launcher_event
        where event = 'connect_failed'
        union all by name
        select
            case
                when call in ('ssh', 'slurmctld', 'tpu_driver') then call else library
            end as source,
            -- Slurm's name of a node, in one line alone and in another with its domain
            case
                when library = 'slurm'
                then regexp_replace(peer, '^([A-Za-z][^.:]*)\..*$', '\1')
                else peer
            end as peer,
            min(port) as port,
            coalesce(text, name) as error,
            host,
            rank,
            pid,
            min(time) as time,
            file_id,
            min(line_no) as line_no,
            count(*) as attempts
        from library_failure f
        where
            "class" in ('unreachable', 'refused', 'timed_out')
            and not exists (
                from metric_span m where m.file_id = f.file_id and m.last_line > f.line_no
            )
            and not exists (
                from exception e
                where
                    e.file_id = f.file_id
                    and f.line_no between e.traceback_line and e.line_no + 5
                    and is_of_a_dashboard(e.frames)
            )
            -- it was reached after all
            and not exists (
                from overcome_line o
                where
                    o.file_id = f.file_id
                    and o.line_no > f.line_no
                    and contains(lower(o.text) || ' ', 'connected to ' || lower(f.peer) || ' ')
            )
            -- of a job that has come to its end, which a node need not answer for
            and not (
                library = 'slurm'
                and exists (
                    from training_mark m
                    where
                        m.kind = 'end'
                        and m.ended_by is null
                        and m.file_id = f.file_id
                        and m.line_no < f.line_no
                )
            )
            -- nor of one that trains, as the other half of its output tells
            and not (
                library = 'slurm'
                and exists (
                    from other_half h
                    join metric_span m on m.file_id = h.half_id
                    where h.file_id = f.file_id
                )
            )
            -- all had met before: whom one cannot reach any more has ended
            and not (
                library = 'socket'
                and exists (from coordination_task where event = 'connecting' and tasks_awaited = 0)
            )
            -- asked again until the host is up, or its name known
            and (
                library not in ('socket', 'resolver', 'slurm')
                or exists (
                    from file x
                    where
                        x.file_id = f.file_id
                        and x.lines - f.line_no <= case when library = 'resolver' then 2 else 40 end
                )
            )
        group by all
    )
select
    *,
    case
        -- NCCL up to 2.23 asks again after a refusal and prints what the second call said.
        when error ~* 'refused|rejected|ECONNREFUSED|software caused connection abort'
        then 'refused'
        -- 13, 1: a route or a firewall of its own host forbids it
        when error ~* 'no route|unreach|^UNAVAILABLE$|errno: (?:13|1) - '
        then 'unreachable'
        when
            error
            ~* 'name or service|name resolution|address associated|not resolve|host not found'
            || '|no such host|NXDOMAIN|SERVFAIL'
        then 'unresolved'
        when error ~* 'timed|time[ _-]?out|deadline|timer expired|no answer|超时'
        then 'timed_out'
    end as failure
from attempt
