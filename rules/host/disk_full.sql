/*
title      = "A disk is full, or a quota is used up"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["crash", "hang", "loss.rollback"]
about      = """
A write failed because the file system had no space or no inodes left, or the user's quota was reached. Usually a checkpoint, a cache or a log.
A full /dev/shm is another matter: see oom.shared_memory.
"""
remedy     = "Free space or raise the quota on the named file system (df -h, df -i, quota -s), keep fewer checkpoints, move caches and logs; then resume from the last complete checkpoint."
false_positives = "A message alone does not say which file system; torch's writer also fails in this way on an error of a network file system (graded lower)."
references = ["https://man7.org/linux/man-pages/man3/errno.3.html"]

[[summary]]
when = "crowded"
say  = '''
{% if is_over_quota %}The quota on {{ path }} is exceeded{% elif crowded == 'inodes' %}{{ path }}
has used {{ percent }} % of its inodes: too many files{% else %}{{ path }} is {{ percent }} % full
{%- endif %}
'''

[[step]]
when = "crowded == 'inodes'"
say  = "Remove or pack small files: the inodes run out before the bytes do."
run  = ["df -i {{ path }}", "du --inodes -d 2 {{ path }}"]
[[step]]
when = "crowded == 'bytes'"
say  = '''
Free space on {{ path }}: keep fewer checkpoints, move caches and logs. Let a watchdog alert from
80 % on: file systems of many servers fail writes as soon as one of them is full.
'''
run  = ["df -h {{ path }}", "df -i {{ path }}", "du -xh -d 2 {{ path }}"]
*/
with
    told as (
        select
            'log' as source,
            error,
            number,
            path,
            null as syscall,
            null as fd_path,
            host,
            rank,
            pid,
            time,
            file_id,
            line_no
        from disk_full d
        where
            not exists (
                from semaphore_call s
                where s.file_id = d.file_id and d.line_no - s.line_no between 1 and 4
            )
        union all
        select
            'strace',
            errno,
            case errno when 'ENOSPC' then 28 else 122 end,
            path,
            syscall,
            path,
            host,
            rank,
            nullif(pid, 0),
            time,
            file_id,
            line_no
        from strace_known
        where
            errno in ('ENOSPC', 'EDQUOT')
            and injected is null
            and syscall not in (
                'inotify_add_watch',
                'epoll_ctl',
                'semget',
                'shmget',
                'add_key',
                'bpf',
                'perf_event_open'
            )
            and not (
                coalesce(path, '') like '/dev/shm%'
                or coalesce(path, '') like '%memfd:%'
                or contains(coalesce(path, ''), '/torch_')
            )
    )
select
    case
        when list_contains(list(error), 'EDQUOT')
        then 'The quota is used up'
        when count(*) filter (error = 'ENOSPC') > 0
        then 'No space is left on the device'
        else 'A checkpoint could not be written, probably for want of space'
    end || coalesce(
        ' for ' || coalesce(
            min_by(path, line_no) filter (source = 'strace' and path is not null),
            min_by(path, line_no) filter (path is not null)
        ),
        ''
    )
    || coalesce(
        ' (rank ' || ranges(list(distinct rank) filter (rank is not null)) || ')',
        ' (pid ' || string_agg(distinct pid::varchar, ', ') || ')',
        ''
    )
    || case when count(*) > 1 then ', said ' || count(*) || ' times' else '' end as summary,
    case when count(*) filter (error <> 'torch_writer') = 0 then 'possible' end as confidence,
    list(line_at(file_id, line_no) order by error = 'torch_writer', file_id, line_no)[
        :20
    ] as evidence,
    min(time) as at,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    coalesce(
        min_by(path, line_no) filter (source = 'strace' and path is not null),
        min_by(path, line_no) filter (path is not null)
    ) as path,
    min_by(fd_path, line_no) filter (fd_path is not null) as fd_path,
    list(distinct path) filter (path is not null)[:10] as paths,
    case
        when count(*) filter (source = 'strace') > 0
        then mode(error) filter (source = 'strace')
        when max(number) is not null
        then max(number)::varchar
        else mode(error) filter (error <> 'torch_writer')
    end as errno,
    mode(error) filter (error <> 'torch_writer') as error,
    mode(syscall) filter (syscall is not null) as syscall,
    list(distinct pid order by pid) filter (pid is not null) as pids,
    case when count(distinct pid) = 1 then any_value(pid) end as pid
from told
group by all
having count(*) > 0
union all by name
select
    evidence,
    "at",
    hosts,
    path,
    counts as crowded,
    percent::bigint as percent,
    case when is_over_quota then true end as is_over_quota,
    case when is_full then 'critical' else 'warning' end as severity,
    case when is_full or is_over_quota then 'probable' else 'definite' end as confidence,
    case when not is_full and not is_over_quota then [] end as explains
from disk_crowded
