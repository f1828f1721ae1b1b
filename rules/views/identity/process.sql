-- table: One row per process, by its number in a container or on the host: its rank, where only one
-- is named. Definite where a line says so; probable where the process is the only one on the GPU of
-- a rank, as the driver and nvidia-smi see it.
with
    linked_process as (
        select
            short_host(host) as host,
            pid,
            rank,
            'definite' as confidence,
            learnt_from,
            weight,
            file_id,
            line_no
        from identity_link
        where pid is not null
    ),
    -- The host's number of a process whose number in its container is known.
    outer_process as (
        select
            coalesce(a.host, short_host(n.host)) as host,
            n.pid,
            k.rank,
            'definite' as confidence,
            '/proc/PID/status' as learnt_from,
            3 as weight,
            n.file_id,
            n.line_no
        from pid_namespace n
        left join host_alias a on a.alias = short_host(n.host)
        join
            linked_process k
            on k.pid = n.inner_pid
            and k.rank is not null
            and (
                k.host = short_host(n.host)
                or n.host is null
                or k.host in (select alias from host_alias h where h.host = short_host(n.host))
                or short_host(n.host)
                not in (select host from linked_process where host is not null)
            )
        qualify count(distinct k.rank) over (partition by n.file_id, n.line_no) = 1
    ),
    gpu_process as (
        select p.host, p.pid, p.gpu, p.learnt_from, p.file_id, p.line_no
        from
            (
                select
                    short_host(p.host) as host,
                    p.pid,
                    g.gpu,
                    'nvidia-smi' as learnt_from,
                    p.file_id,
                    p.line_no
                from smi_process p
                join
                    identity_link g
                    on g.file_id = p.file_id
                    and g.gpu_index = p.gpu_index
                    and g.learnt_from = 'nvidia-smi'
                where p.kind <> 'G'
                union all
                select short_host(host), pid, gpu_address(gpu), 'Xid', file_id, line_no
                from xid_line
                where pid > 0 and gpu is not null
            ) p
        qualify count(distinct p.pid) over (partition by p.host, p.gpu, p.learnt_from) = 1
    ),
    candidate as (
        from linked_process
        union all
        from outer_process
        union all
        select
            o.host,
            o.pid,
            g.rank,
            'probable',
            'process on the GPU of a rank, told by ' || o.learnt_from,
            1,
            o.file_id,
            o.line_no
        from gpu_process o
        join
            gpu g
            on g.gpu = o.gpu
            and g.rank is not null
            and (
                g.host = o.host or g.host in (select alias from host_alias h where h.host = o.host)
            )
        where
            not exists (
                from linked_process k
                where k.pid = o.pid and k.host is not distinct from o.host and k.rank is not null
            )
    )
select
    host,
    pid,
    case when count(distinct rank) = 1 then max(rank) end as rank,
    arg_max(confidence, weight) as confidence,
    arg_max(learnt_from, weight) as learnt_from,
    min(file_id) as file_id,
    arg_min(line_no, (file_id, line_no)) as line_no
from candidate
group by host, pid
