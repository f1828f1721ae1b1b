-- view: One row per file in which a loss is NaN on lines of which nothing else is read, or a policy
-- by its KL divergence or entropy: the first such line, where they are several, of the last of the
-- file, and no number follows.
with
    line as (
        select file_id, line_no, time, host, rank, message
        from training_mark
        where kind = 'nan_value'
        union all
        select file_id, line_no, time, host, rank, text
        from unread_metric
        where
            regexp_matches(
                text,
                '^(?:[^{}"''#()]*[ \t,;|\[>:(-])?[A-Za-z0-9_./-]*(?i:loss)'
                || '(?:[_ /.-]?[A-Za-z0-9]+){0,3} *(?:[:=|] *| | is )(?:tensor\()?-?(?:nan|NaN)'
                || '(?:[ \t]*[,;|)\]}\t].*| +[A-Za-z_0-9]+ ?[:=].*| *)$'
            )
    ),
    printed as (
        select
            m.file_id,
            m.line_no,
            m.time,
            m.host,
            m.rank,
            m.message,
            count(*) over same as times,
            f.lines - max(m.line_no) over same as lines_after
        from line m
        join file f using (file_id)
        where
            not regexp_matches(
                m.message, '(?i)^[^=:|,;]*?(^|[^a-z])(val|eval|test|dev|best)[^=:|,;]*[=:| ]+-?nan'
            )
        window same as (partition by m.file_id)
    ),
    of_policy as (
        select m.file_id, m.line_no, m.time, m.host, m.rank, m.name || ' is nan' as message
        from metric m
        where
            m.canonical in ('kl', 'entropy')
            and isnan(m.value)
            and exists (
                from metric e
                where
                    e.file_id = m.file_id
                    and e.name = m.name
                    and e.line_no < m.line_no
                    and isfinite(e.value)
            )
            and not exists (
                from metric l
                where
                    l.file_id = m.file_id
                    and l.name = m.name
                    and l.line_no > m.line_no
                    and isfinite(l.value)
            )
    )
select * exclude (times, lines_after)
from
    (
        from printed
        where times >= 2 or lines_after <= 12 or regexp_matches(message, '(?i)nan.*[:= |]nan')
        union all by name
        from of_policy
    ) p
where
    not exists (
        from metric m
        where
            (
                m.canonical in ('loss', 'adversarial_loss', 'policy_loss')
                -- a part of the loss by the same name
                or m.canonical = 'component_loss'
                and starts_with(p.message, m.name)
            )
            and m.file_id = p.file_id
            and m.line_no > p.line_no
            and isfinite(m.value)
    )
qualify row_number() over (partition by file_id order by line_no) = 1
