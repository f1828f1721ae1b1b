-- table: One row per line or exception in which a program tells, in words of its own that no
-- grammar knows, of trouble between the ranks of its job, where no known source tells of any. kind:
-- see plain_concept; of several kinds only the most telling. rank, host: who tells it;
-- missing, joined, expected, op, seq, seconds, peer: what it names.
with
    judged as (
        select
            l.*,
            told_missing_ranks(words) as missing_ranks,
            case
                -- who did not come to a collective is missing there
                when concept = 'roll' and len(missing_ranks) > 0 and is_in_collective(words)
                then 'missing'
                -- a meeting of a job that has begun: who is not there, nobody says
                when
                    concept = 'roll'
                    and is_in_collective(words)
                    and exists (from metric m where m.file_id = l.file_id and m.line_no < l.line_no)
                then 'timeout'
                when concept = 'roll'
                then 'init'
                else concept
            end as kind,
            told_joined(words) as roll
        from communication_line l
        join told_concept c using (sentence)
        where
            c.subject = 'ranks'
            and not regexp_matches(
                text, '^\[?W[0-9 ]|^\[c10d\]|(?i)\bdisabled because\b|to silence this'
            )
            -- a warning ends nothing by itself
            and (not is_warned(prefix) or exists (from trouble_sign))
            -- a service outside of the job
            and not exists (from outside_service as o where contains(lower(text), o.service))
            and (
                -- an exception's advice does not make it harmless
                not is_mild(case when l.source = 'exception' then l.sentence else text end)
                and not is_news(prefix)
                or regexp_matches(
                    text,
                    '^\[?[EF]|\b(?:ERROR|FATAL|CRITICAL)\b|(?i)\b(?:terminat|kill|abort'
                    || '|shutt)ing\b'
                )
                or exists (
                    from retried_in_vain v where v.file_id = l.file_id and v.line_no = l.line_no
                )
            )
            -- who is missing, and how many came, has to be said
            and (concept <> 'missing' or len(missing_ranks) > 0)
            and (concept <> 'roll' or roll[1] < roll[2])
        qualify row_number() over (partition by source, file_id, line_no order by place) = 1
    ),
    ended as (
        select m.file_id, min(line_no) as line_no
        from training_mark m
        where kind = 'end'
        group by file_id
    ),
    at_end as (
        select
            j.*,
            -- a library's own word is a failure's only where the job gives up with it
            exists (
                from communication_line l
                where
                    l.file_id = j.file_id
                    and l.line_no between j.line_no and j.line_no + 60
                    and (
                        l.word in ('fatal', 'error', 'claimed')
                        or regexp_matches(l.prefix, '\b(?:ERROR|FATAL|CRITICAL)\b')
                    )
            )
            or exists (from trouble_sign)
            -- who watches ends what stands still
            or kind = 'timeout'
            and exists (
                from told_sense t where t.sentence = j.sentence and t.sense = 'ended'
            ) as is_backed
        from judged j
        left join ended e using (file_id)
        where
            (kind <> 'gave_up' or word in ('fatal', 'error', 'claimed') and j.source = 'line')
            and (lines_to_end <= 60 or exists (from trouble_sign))
            and coalesce(j.line_no < e.line_no, true)
            and (
                select count(distinct m.step) < 2
                from metric m
                where m.file_id = j.file_id and m.line_no > j.line_no
            )
    ),
    -- a failure of the program's own that stands elsewhere, or before, is no echo of these
    other_failure as (
        select file_id, line_no, rank
        from fatal_exception
        where kind <> 'collective'
        union all
        select file_id, line_no, rank
        from death
        where signal in (4, 7, 8, 9, 11)
    ),
    telling as (
        select a.kind
        from at_end a
        where is_backed
        order by
            list_position(
                [
                    'mismatch',
                    'missing',
                    'init',
                    'connect',
                    'transport',
                    'peer',
                    'timeout',
                    'gave_up'
                ],
                case when a.kind = 'timeout' then 'peer' else a.kind end
            ),
            time nulls last,
            file_id,
            line_no
        limit 1
    )
select
    source,
    kind,
    text,
    nullif(missing_ranks, []) as missing,
    roll[1] as joined,
    roll[2] as expected,
    nullif(
        lower(
            regexp_replace(
                regexp_extract(
                    words,
                    '(?i)(?:^|[^a-z])(all[-_ ]?(?:reduce|gather|to[-_ ]?all)'
                    || '|reduce[-_ ]?scatter|broadcast'
                    || '|barrier|recv|receive|send)(?:[^a-z]|[A-Z]|$)',
                    1
                ),
                '[- ]',
                '_'
            )
        ),
        ''
    ) as op,
    try_cast(
        regexp_extract(
            words,
            '(?i)(?:\bseq(?:uence|num)?(?:[ _](?:number|no|id))?|\bid|#|(?:reduce|gather'
            || '|scatter|all'
            || '|broadcast|collective|op|operation))[ =:#]{0,3}([0-9]+)\b',
            1
        ) as bigint
    ) as seq,
    try_cast(
        regexp_extract(
            words, '(?i)\b([0-9]+)(?:\.[0-9]+)? ?(?:s|sec|secs' || '|seconds)\b', 1
        ) as bigint
    ) as seconds,
    coalesce(
        message_peer(words),
        nullif(
            regexp_extract(
                text,
                '(?i)\bconnect(?:ed|ing|ion)? [^:]{0,60}(?:: |\bto |\bat |\bwith )'
                || '([a-z][0-9a-z-]*(?:\.[0-9a-z-]+)*):[1-9][0-9]{1,4}(?:[^0-9a-z:]|$)',
                1
            ),
            ''
        ),
        nullif(regexp_extract(words, '(?i)\b(?:lookup|resolve|host) ([a-z][0-9a-z.-]+)', 1), '')
    ) as peer,
    message_peer_rank(
        regexp_extract(
            words, '(?i)\b(?:to|from|peer|with|lost|worker|by) (?:peer )?(?:rank|worker|peer)?.*'
        )
    ) as peer_rank,
    coalesce(rank, told_rank(words)) as rank,
    coalesce(
        host, nullif(regexp_extract(words, '(?i)\bhost(?:name)?=([0-9a-z][0-9a-z_.-]*)', 1), '')
    ) as host,
    nullif(
        regexp_extract(
            words, '(?i)\bwait(?:s|ing) (?:for' || '|on) ([a-z][0-9a-z.-]*[0-9]) ?\(rank', 1
        ),
        ''
    ) as missing_host,
    time,
    file_id,
    line_no
from at_end a
where
    kind = (select kind from telling)
    and not exists (
        from other_failure o
        where
            o.file_id <> a.file_id
            or o.line_no < a.line_no
            or o.rank is not null
            and o.rank <> a.rank
    )
