-- table: One row per line that no grammar read, that tells of a failure of memory or of hardware,
-- and after which the job does not go on: kind as in told_failure_line, a driver's line by what it
-- drives (also other), or a concept of told_concept. gpu, victim_pid, requested_bytes: as the line
-- names them; is_limit: a limit was set.
with
    said as (
        select
            l.* exclude (kind),
            -- a driver that nobody knows, of a PCI device, is most likely an accelerator's
            case
                when l.kind <> 'driver'
                then l.kind
                when d.part is not null
                then d.part
                when regexp_matches(l.device, '^[0-9a-f]{4}:')
                then 'accelerator'
            end as kind,
            false as is_limit,
            f.lines - l.line_no as lines_to_end
        from told_failure_line l
        join file f using (file_id)
        left join device_driver d using (driver)
        where
            not is_mild(l.message)
            and not is_news(l.prefix)
            -- a port without a link: its card is well
            and not (
                l.kind = 'driver'
                and d.part is distinct from 'accelerator'
                and regexp_matches(l.message, '(?i)(?:^|[^v])link (?:is )?down\b')
            )
        union all by name
        select
            t.* exclude (
                sentence, is_grave, is_after_steps, has_steps, is_mild, is_news, is_exception
            ),
            c.concept as kind,
            exists (from told_sense s where s.sentence = t.sentence and s.sense = 'cap') as is_limit
        from told_line t
        join told_concept c using (sentence)
        where
            c.subject = 'job'
            and c.is_first
            and c.concept in ('device_memory', 'host_memory', 'memory', 'accelerator', 'heat')
            -- of memory that broke, not of too little
            and not (
                c.concept in ('device_memory', 'host_memory', 'memory')
                and regexp_matches(t.message, '(?i)uncorrect|\b(?:ecc|parity)\b')
            )
            and not t.is_mild
            and not t.is_news
            and not exists (
                from told_failure_line l where l.file_id = t.file_id and l.line_no = t.line_no
            )
    ),
    line as (
        select
            l.* exclude (rank, host),
            coalesce(
                l.rank,
                try_cast(
                    nullif(
                        regexp_extract(l.message, '(?i)\brank["'' _=:#-]{1,4}([0-9]+)\b', 1), ''
                    ) as bigint
                )
            ) as rank,
            coalesce(
                l.host,
                nullif(
                    regexp_extract(
                        l.message,
                        '(?i)\b(?:node|host|hostname)["'']?[ ]?[=:][ ]?["'']?'
                        || '([a-z][a-z0-9.-]*[0-9][a-z0-9.-]*)',
                        1
                    ),
                    ''
                ),
                nullif(
                    regexp_extract(
                        l.message, '(?i)\b(?:node|host) ([a-z][a-z-]{0,15}[0-9]+[a-z0-9-]*)\b', 1
                    ),
                    ''
                )
            ) as host
        from said l
    )
select
    l.* exclude (lines_to_end),
    coalesce(
        case when l.device like '%:%' then pci_address(l.device) end,
        nullif(
            regexp_extract(l.message, '\b([0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2})\b', 1), ''
        ),
        nullif(
            regexp_extract(
                l.message,
                '(?i)\b(?:[gnxh]pu|tpu chip|card|device|accelerator)s?'
                || '["'']?[ :=#_]{0,3}([0-9]{1,3})\b',
                1
            ),
            ''
        ),
        nullif(regexp_extract(l.message, '^([0-9]{1,2}), ', 1), '')
    ) as gpu,
    try_cast(
        nullif(regexp_extract(l.message, '(?i)\bpid[ =:"]{1,3}([0-9]+)', 1), '') as bigint
    ) as victim_pid,
    size_bytes_of(
        coalesce(
            nullif(
                regexp_extract(
                    l.message,
                    '(?i)\b(?:alloc[a-z]*|reserve|place|fit|obtain|map|grow|make|get|take|hold'
                    || '|commit|need|needs|wanted|want|asked for|another)[^0-9]{0,30}'
                    || '([0-9][0-9.,]* ?(?:[KMGT]i?B?|bytes|B)\b)',
                    1
                ),
                ''
            )
        )
    ) as requested_bytes
from line l
where
    l.kind is not null
    and (
        l.lines_to_end < 200
        or exists (from trouble_sign)
        or exists (from fatal_exception where certain)
    )
    and (
        select count(*)
        from training_line t
        where
            t.file_id = l.file_id
            and t.line_no > l.line_no
            and (t.rank is null or l.rank is null or t.rank = l.rank)
    )
    < 2
    and not ends_well_after(l.file_id, l.line_no)
    and not exists (from job_progress p where p.minute > l.time + interval 2 minutes)
