-- table: One row per line with which a program that no grammar knows may tell why its job ended,
-- and per exception of no known kind. sentence: what of its message is judged; lines_to_end: how
-- many lines follow it in its file; is_after_steps: all steps stand before it; is_grave: its words
-- are those of an error; is_mild: it calls itself harmless, and what is tried again
-- was not given up; is_news: its logger calls it no more than that.
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
        select
            * exclude (word),
            coalesce(word in ('fatal', 'error', 'claimed'), false) as is_grave,
            false as is_exception
        from plain_line
        where
            -- counts of what happened to many
            not regexp_matches(
                text, '(?i)(?:\b[a-z ]{3,30}: ?[0-9]+[ ,;]+){3}|(?:\b[0-9]+ [a-z ]{3,30}[,;] ?){3}'
            )
            -- names and their values, and nothing else
            and not regexp_matches(
                text,
                '^(?:[A-Za-z_][A-Za-z0-9_.-]* ?[:=] ?-?[0-9][0-9.]*[a-zA-Z%]{0,7}'
                || '(?:[,;|] *| +|$))+$'
                || '|^[A-Za-z_]+\s*: 0x[0-9a-fA-F]+\([^()]*\)$'
            )
            -- the names of columns
            and not regexp_matches(
                text,
                '^[A-Za-z_][A-Za-z0-9_.]*(?: \[[^\]]*\])?'
                || '(?:, ?[A-Za-z_][A-Za-z0-9_.]*(?: \[[^\]]*\])?){3,}$'
            )
            -- the heading of a count
            and not regexp_matches(
                text, '(?i)^\s*[a-z]+(?: [a-z]+)? (?:errors|failures|faults):?\s*$'
            )
            -- the heading of a table of the firmware, or of what a device keeps of its errors
            and not regexp_matches(
                text,
                '(?i)^\s*[a-z0-9 /_-]{3,50} errors? (?:information|correction|counters?|statistics'
                || '|records?|logs?|reporting|handling|status|types?):?\s*$'
            )
            -- a device that does not open: its driver refuses, whatever memory there is
            and not regexp_matches(text, '(?i)\bopen(?:ing)? ''?/dev/[a-z].*cannot allocate memory')
            -- a system call that a tracer shows: programs try many files
            and not regexp_matches(text, '^[^"]*[a-z_0-9]+\(.*\) += -1 E[A-Z0-9]+ \(')
            -- a printed structure
            and not regexp_matches(
                text, '^\s*[''"]?[A-Za-z_][A-Za-z0-9_]*[''"]? ?[:=] ?[\[{(].*[\]})],?$'
            )
            -- names in quotes, a part of one
            and not regexp_matches(
                text,
                '^\s*(?:[A-Za-z_][A-Za-z0-9_]* ?[:=] ?)?[\[{(]?'
                || '(?:[''"]?[A-Za-z0-9_.-]*[''"], ?){2,}[''"]?[A-Za-z0-9_.-]*[''"]?[\]})]?,?$'
            )
            -- a kernel's words, and those of c10d, are known
            and uptime_seconds is null
            and not is_word_of_kernel(prefix, text)
            and not starts_with(text, '[c10d]')
        union all by name
        -- what an exception of no known kind says, and one that its rule does not trust
        select
            exception_text(class, message) as text,
            told_sentence(text) as sentence,
            true as is_grave,
            true as is_exception,
            lines_after as lines_to_end,
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
        where
            kind not in ('memory', 'gpu', 'collective', 'loss')
            and not is_code_mistake(class, message)
    )
select
    l.* exclude (text),
    text[:300] as message,
    s.line_no is not null as has_steps,
    coalesce(l.line_no > s.line_no, true) as is_after_steps,
    is_mild(text) and v.line_no is null as is_mild,
    is_news(prefix) and v.line_no is null as is_news
from line l
left join last_step s using (file_id)
left join retried_in_vain v on v.file_id = l.file_id and v.line_no = l.line_no
where lines_to_end < 200 or exists (from trouble_sign)
