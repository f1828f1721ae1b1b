/*
title      = "A checkpoint could not be read or written"
severity   = "critical"
confidence = "probable"
status     = "stable"
explains   = ["crash.exception", "hang", "network.peer_lost", "network.connect_failure", "network.ib_error"]
about      = """
Loading or saving a checkpoint failed: the file is truncated or corrupt, keys or shapes do not match the model, or it is not there.
"""
remedy     = "Compare size and hash of the named checkpoint with another copy; resume from the last one that loads (torch.load on one CPU); where shapes differ, check that the model's settings are those it was saved with."
false_positives = "A program that tries to resume, fails and starts afresh."
references = ["https://docs.pytorch.org/docs/stable/notes/serialization.html"]
*/
with
    told as (
        select
            *,
            left(class || ': ' || message, 1000) as text,
            coalesce(
                nullif(
                    regexp_extract(
                        message,
                        '[''"]((?:/|\./)?[^''" ]+\.(?:pt|pth|ckpt|bin|safetensors|distcp|zip|pkl|npz))[''"]',
                        1
                    ),
                    ''
                ),
                nullif(
                    regexp_extract(
                        message, '(/[^ :,''"]*(?:ckpt|checkpoint|global_step)[^ :,''"]*)', 1
                    ),
                    ''
                )
            ) as path_
        from fatal_exception
        where kind = 'checkpoint' and certain
    ),
    grouped as (
        select
            regexp_replace(left(text, 80), '[0-9]+', '#', 'g') as alike,
            min_by(text, line_no) as message,
            min_by(type, line_no) as type,
            any_value(path_) filter (path_ is not null) as path,
            any_value(file) as file,
            any_value(line) as line,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            min(time) as started,
            list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
            min(file_id * 100000000 + line_no) as place
        from told
        group by all
    )
select
    coalesce('Rank ' || ranges(ranks) || ': ', '')
    || 'checkpoint'
    || coalesce(' ' || path, '')
    || ' failed: '
    || left(split_part(message, chr(10), 1), 200) as summary,
    evidence,
    started as at,
    ranks,
    hosts,
    path,
    message,
    type,
    file,
    line
from grouped
qualify row_number() over (order by place) = 1
