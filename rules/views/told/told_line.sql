-- table: One row per line with which a program that no grammar knows may tell of a failure.
-- sentence: what of its message is judged; lines_to_end: how many lines follow it in its file;
-- is_after_steps: all steps stand before it; is_grave: its words are those of an error; is_mild: it
-- calls itself harmless. Of very many those nearest to the ends of their files.
-- only with unread_line, ending_line, exception
with
    step as (
        select file_id, line_no
        from training_line
        union all
        select file_id, last_line
        from metric_span
    ),
    last_step as (select file_id, max(line_no) as line_no from step group by file_id),
    line as (
        select *, word in ('fatal', 'error', 'claimed') as is_grave, false as is_exception
        from unread_line
        union all by name
        select *, false as is_grave, false as is_exception
        from ending_line e
        where not exists (from unread_line u where u.file_id = e.file_id and u.line_no = e.line_no)
        union all by name
        -- what an exception of no known kind says, and one that its rule does not trust
        select
            type || ': ' || message as text,
            true as is_grave,
            true as is_exception,
            time,
            host,
            rank,
            local_rank,
            task,
            pid,
            stream,
            file_id,
            raised_line as line_no
        from fatal_exception
        where kind not in ('memory', 'gpu', 'collective', 'loss')
    )
select
    l.* exclude (text, word),
    text[:300] as message,
    -- without the keys around it, and without advice
    array_to_string(
        list_filter(
            string_split(
                regexp_replace(
                    coalesce(
                        nullif(regexp_extract(message, '\b(?:msg|message)="([^"]+)"', 1), ''),
                        message
                    ),
                    '([.!?]) +([A-Z])',
                    '\1' || chr(10) || '\2',
                    'g'
                ),
                chr(10)
            ),
            lambda part:
            not regexp_matches(
                part,
                '^(?:Please|Try|Make sure|Consider|See|If|To|For|You (?:can|may|might)|Check)\b'
            )
        ),
        ' '
    ) as sentence,
    f.lines - l.line_no as lines_to_end,
    s.line_no is not null as has_steps,
    coalesce(l.line_no > s.line_no, true) as is_after_steps,
    is_mild(text) as is_mild
from line l
join file f using (file_id)
left join last_step s using (file_id)
where
    -- counts of what happened to many
    not regexp_matches(
        text, '(?i)(?:\b[a-z ]{3,30}: ?[0-9]+[ ,;]+){3}|(?:\b[0-9]+ [a-z ]{3,30}[,;] ?){3}'
    )
    -- a kernel's words, and those of c10d, are known
    and l.uptime_seconds is null
    and not regexp_matches(
        text,
        '\bkernel: |^(?:EDAC|ACPI|mcelog|sysrq)\b|page allocation failure|\[Hardware Error\]'
        || '|^\[c10d\]'
    )
    and (f.lines - l.line_no < 200 or exists (from trouble_sign))
qualify row_number() over (order by lines_to_end, file_id, l.line_no) <= 4000
