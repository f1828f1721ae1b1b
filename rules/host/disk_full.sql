/*
title = "A disk is full, or a quota is used up"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["crash", "hang", "host.container", "loss.rollback"]
lasting = true
about = """
A write failed because the file system had no space or no inodes left, or because the user's quota
was reached. Usually it was a checkpoint, a cache or a log. A full /dev/shm is another matter: see
oom.shared_memory.
"""
false_positives = """
A message alone does not say which file system it was. A file of numpy's that is shorter than it
should be may have been cut by an error of a network file system (graded lower).
"""
references = ["https://man7.org/linux/man-pages/man3/errno.3.html"]

[[summary]]
when = "told"
say = '''
A disk is full or a quota used up, as the log tells: {{ told | cut(200) }}
'''

[[summary]]
when = "crowded"
say = '''
{% if is_over_quota %}The quota on {{ path }} is exceeded{% elif crowded == 'inodes' %}{{ path }}
has used {{ percent }} % of its inodes: too many files{% else %}{{ path }} is {{ percent }} % full
{%- endif %}
'''

[[summary]]
when = "error == 'EDQUOT'"
say = '''
The quota is used up{% if path %} for {{ path }}{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %}
{%- if ranks %} ({{ ranks | ranks }}){% elif pids %} ({{ pids | names('pid') }}){% endif %}
{%- if failures > 1 %}: {{ failures | count('failed write') }}{% endif %}
'''

[[summary]]
when = "error == 'ENOSPC'"
say = '''
No space is left on the file system{% if path %} of {{ path }}{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %}
{%- if ranks %} ({{ ranks | ranks }}){% elif pids %} ({{ pids | names('pid') }}){% endif %}
{%- if failures > 1 %}: {{ failures | count('failed write') }}{% endif %}
'''

[[summary]]
say = '''
A checkpoint could not be written{% if path %} to {{ path }}{% endif %}
{%- if hosts %} on {{ hosts | names }}{% endif %}
{%- if ranks %} ({{ ranks | ranks }}){% elif pids %} ({{ pids | names('pid') }}){% endif %}: writing
broke off, as it does where no space is left; the message does not say why
'''

[[step]]
when = "crowded == 'inodes'"
say = "Remove or pack small files: the inodes run out before the bytes do."
run = [
  "df -i{% if path.startswith('/') %} {{ path }}{% endif %}",
  "du --inodes -d 2 {{ path if path.startswith('/') else none }}",
]

[[step]]
when = "crowded == 'bytes'"
say = '''
Free space on {{ path }}: keep fewer checkpoints, move caches and logs. Let a watchdog alert from
80 % on: file systems of many servers fail writes as soon as one of them is full.
'''
run = [
  "df -h{% if path.startswith('/') %} {{ path }}{% endif %}",
  "df -i{% if path.startswith('/') %} {{ path }}{% endif %}",
  "du -xh -d 2 {{ path if path.startswith('/') else none }}",
]

[[step]]
when = "error == 'EDQUOT'"
say = '''
Delete what is no longer needed{% if path %} where {{ path }} is{% endif %}, or have the quota
raised (of blocks or of files: both count).
'''
run = ["quota -s", "lfs quota -h -u $USER {{ directory }}"]

[[step]]
when = "error is none and not crowded and not told"
say = '''
Look first whether space, inodes or a quota ran out{% if path %} where {{ path }} is{% endif %}, and
whether the file system itself had errors{% if hosts %} on {{ hosts | names }}{% endif %}.
'''
run = [
  "df -h {{ directory }}",
  "df -i {{ directory }}",
  "{% if not directory %}df -h{% endif %}",
  "{% if not directory %}df -i{% endif %}",
  "dmesg -T | grep -iE 'i/o error|ext4|xfs|nfs|lustre' | tail",
]

[[step]]
when = "error and error != 'EDQUOT' and not crowded"
say = '''
Free space{% if path %} where {{ path }} is{% endif %}{% if hosts %} on {{ hosts | names }}{% endif
%}:
blocks or inodes may have run out.
'''
run = [
  "df -h {{ directory }}",
  "df -i {{ directory }}",
  "{% if not directory %}df -h{% endif %}",
  "{% if not directory %}df -i{% endif %}",
]

[[step]]
when = "not crowded"
say = '''
Keep fewer checkpoints and move caches and logs elsewhere. Then resume from the last complete
checkpoint: the one being written is damaged.
'''
*/
with
    failed_write as (
        select
            'log' as source,
            error,
            number,
            is_of_room,
            path,
            null as syscall,
            null::varchar as fd_path,
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
            true,
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
    ),
    whole as (
        select
            case when count_if(error <> 'torch_writer') = 0 then 'possible' end as confidence,
            list(line_at(file_id, line_no) order by error = 'torch_writer', file_id, line_no)[
                :20
            ] as evidence,
            min(time) as at,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            -- a trace knows the file, a message may name another one
            coalesce(
                min_by(path, line_no) filter (source = 'strace' and path is not null),
                min_by(path, line_no) filter (path is not null)
            ) as path,
            min_by(fd_path, line_no) filter (fd_path is not null) as fd_path,
            list(distinct path) filter (path is not null)[:10] as paths,
            case
                when count_if(source = 'strace') > 0
                then mode(error) filter (source = 'strace')
                when max(number) is not null
                then max(number)::varchar
                else mode(error) filter (error <> 'torch_writer')
            end as errno,
            mode(error) filter (error <> 'torch_writer') as error,
            mode(syscall) filter (syscall is not null) as syscall,
            count(*) as failures,
            list(distinct pid order by pid) filter (pid is not null) as pids,
            case when count(distinct pid) = 1 then any_value(pid) end as pid
        from failed_write
        -- that torch's writer failed says nothing of why
        having bool_or(is_of_room)
    )
select *, nullif(regexp_extract(path, '^(/.*)/[^/]+$', 1), '') as directory
from whole
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
union all by name
-- in words that no grammar knows
select evidence, "at", path, explains, told, confidence, otherwise
from told_cause
where what = 'disk_full'
