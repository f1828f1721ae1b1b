/*
title      = "Driver, CUDA, libraries or wheels do not fit together"
severity   = "critical"
confidence = "definite"
status     = "stable"
explains   = ["crash.exception", "crash.config", "gpu.cuda_error", "hang"]
about      = """
A loader, the driver or a library says that versions do not match: the driver is too old, the wheel holds no code for this GPU or processor, a symbol or the C library is missing.
"""
remedy     = "Install the wheel built for this driver and GPU (nvidia-smi shows the highest CUDA version the driver supports), in the same environment on every host; after a driver update reboot or reload the modules."
false_positives = "A warning about an optional extension that the program does without."
references = ["https://docs.nvidia.com/deploy/cuda-compatibility/"]
*/
with
    told as (
        select
            m.what,
            m.message,
            m.rank,
            m.host,
            m.pid,
            m.time,
            m.file_id,
            m.line_no,
            exists (
                from exception e where e.file_id = m.file_id and e.line_no = m.line_no
            ) as raised
        from mismatch_line m
        where
            not regexp_matches(
                m.message,
                '(?i)^ *(?:#|//|>)|\bINFO\b|warn|optional|falling back|skipping|hint:|if you '
            )
    ),
    serious as (
        -- without an exception a word counts only where training did not go on
        select *
        from told t
        where
            (
                raised
                or what in ('driver', 'architecture')
                or regexp_matches(message, 'symbol lookup error|error while loading|GLIBC')
            )
            and not exists (from metric m where m.file_id = t.file_id and m.line_no > t.line_no + 5)
            and (
                raised is not true
                or exists (
                    from exception_verdict v
                    where
                        v.file_id = t.file_id
                        and v.steps_after < 2
                        and (
                            v.raised_line = t.line_no
                            or v.line_no = t.line_no
                            or v.chain_line <= t.line_no
                            and v.raised_line >= t.line_no
                        )
                )
            )
    ),
    grouped as (
        select
            what,
            min_by(message, (file_id, line_no)) as message,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            min(time) as started,
            count(*) as times,
            list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence
        from serious
        group by what
    )
select
    left(message, 300) as summary,
    evidence,
    started as at,
    ranks,
    hosts,
    what,
    left(message, 1000) as message,
    times,
    nullif(regexp_extract(message, 'undefined symbol: ([^ ,]+)', 1), '') as symbol,
    coalesce(
        nullif(regexp_extract(message, '([^ :''"]+\.so[.0-9]*): (?:undefined|cannot open)', 1), ''),
        nullif(regexp_extract(message, 'required by ([^ )]+)', 1), '')
    ) as library,
    coalesce(
        nullif(regexp_extract(message, 'found version ([0-9.]+)', 1), ''),
        nullif(regexp_extract(message, 'version .((?:GLIBC|GLIBCXX|CXXABI)_[0-9.]+)', 1), ''),
        nullif(regexp_extract(message, 'client has the version ([0-9.]+)', 1), '')
    ) as version,
    nullif(regexp_extract(message, '(sm_[0-9]+a?)', 1), '') as architecture
from grouped
