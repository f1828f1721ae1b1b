-- table: One row per change of the tag between step and values that names what is trained now
-- ([BRIDGE 41%]); its words, without numbers, are the phase.
with
    tags as (
        select
            file_id,
            line_no,
            time,
            host,
            rank,
            stream,
            step,
            trim(
                regexp_replace(
                    regexp_extract(fields, '^\s*\[([A-Za-z][^\]]{0,40})\]', 1),
                    '[ 0-9.%/]+',
                    ' ',
                    'g'
                )
            ) as tag
        from training_line
        where trainer = 'generic'
    )
select *
from tags
where tag <> ''
qualify
    tag is distinct from lag(tag) over (partition by file_id, stream order by line_no)
    and lag(tag) over (partition by file_id, stream order by line_no) is not null
