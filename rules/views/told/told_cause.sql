-- table: One row at most: the first line in which a program that no grammar knows tells why the job
-- ended (in the columns of told_line, and of a rule's result), and that is not taken back. hosts:
-- those that it names; path, url, peer: what it could not reach.
with
    taking_back as (
        select file_id, line_no
        from told_line
        join told_sense using (sentence)
        where
            sense = 'harmless'
            or sense = 'retried'
            and sentence not in (select sentence from retried_in_vain)
        union all
        select file_id, line_no
        from overcome_line
    ),
    repeated_note as (
        select
            file_id as note_file,
            line_template(sentence) as template,
            is_grave,
            min(line_no) as first_line,
            count(*) as times,
            count(distinct sentence) as sentences
        from told_line
        where not is_exception
        group by note_file, template, is_grave
    )
select
    t.*,
    c.concept as what,
    [line_at(file_id, line_no)] as evidence,
    time as "at",
    sentence as told,
    'possible' as confidence,
    true as otherwise,
    case
        when t.is_exception
        then ['crash.exception']
        -- their rules say what they explain
        when what in ('checkpoint_hang', 'dataloader')
        then null
        when what in ('connect', 'service', 'init')
        then ['network.peer_lost', 'hang', 'crash.communication']
        else ['network.peer_lost', 'network.connect_failure', 'hang', 'crash.communication']
    end as explains,
    list_filter(
        [
            coalesce(
                nullif(
                    regexp_extract(
                        sentence,
                        '(?i)(?:\b(?:node|host|machine|instance|agent|vm|heartbeat from'
                        || '|contact with|connection to|tunnel to)s? |\bon )[''"]?'
                        || '([a-z0-9][a-z0-9.-]*[0-9][a-z0-9.-]*)',
                        1
                    ),
                    ''
                ),
                -- whom the sentence is about
                regexp_extract(sentence, '(?:^|: )([a-z][a-z0-9.-]*[0-9]):? [a-z]', 1)
            )
        ],
        lambda h:h <> '' and not regexp_matches(h, '^[0-9.:]+[a-z]?$')
    ) as hosts,
    nullif(regexp_extract(sentence, '(?:^|[ ''"(=:])(/[^ :,;''"()]+)', 1), '') as path,
    nullif(regexp_extract(sentence, '[a-z0-9]+://[^ ,;)''"]+', 0), '') as url,
    nullif(
        regexp_extract(
            -- who writes this, by host and pid, is no peer
            regexp_replace(
                -- an address of IPv4 that is written as one of IPv6 begins with colons
                replace(fields_apart(sentence), '::ffff:', ''),
                '(?i)^\[[a-z][a-z0-9.-]*(?::[0-9]+)+\]|^[a-z][a-z0-9-]*:[0-9]+\.[a-z]',
                ''
            ),
            '\b([A-Za-z][A-Za-z0-9.-]+:[0-9]{2,5}|[0-9]{1,3}(?:\.[0-9]{1,3}){3})\b',
            1
        ),
        ''
    ) as peer
from told_line t
join told_concept c using (sentence)
left join
    repeated_note n
    on n.note_file = t.file_id
    and n.template = line_template(t.sentence)
    and n.is_grave = t.is_grave
where
    c.subject = 'job'
    and c.is_first
    and t.is_after_steps
    and t.lines_to_end < case when t.is_grave then 40 else 15 end
    and not t.is_mild
    -- what a model writes, or a book, is of other things than jobs
    and not (not t.is_grave and is_prose(t.message))
    -- who is ended from outside may take it calmly
    and not (
        t.is_news
        and c.concept not in ('time_limit', 'preempted', 'cancelled', 'memory', 'node_lost')
    )
    -- a service of the machine speaks of its own peers and files
    and not (c.concept = 'node_lost' and is_of_a_journal(t.host, t.pid, t.rank, t.message))
    and not (
        regexp_matches(
            t.message, '^[A-Z][a-z]{2} +[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2} [^ ]+ [^ ]+: '
        )
        and not speaks_of_job(t.message)
    )
    -- an error's number, what NCCL looks for and does without
    and not regexp_matches(
        message, '(?i)warning:|invalid argument|per user-direction|^ninja: | NCCL INFO '
    )
    and not exists (from training_mark where kind = 'end')
    -- a note that the program has long made, of one thing after another
    and (
        t.is_exception
        or t.line_no - coalesce(n.first_line, t.line_no) < case when t.is_grave then 100 else 10 end
        or n.times < 4
        -- what is tried again is about the same thing each time
        or t.is_grave
        and (n.sentences < 4 or t.lines_to_end < 10)
        or c.concept in ('time_limit', 'preempted', 'cancelled')
    )
    and (
        t.is_exception
        or not exists (
            from done_line d where d.file_id = t.file_id and t.line_no - d.line_no between 1 and 60
        )
    )
    -- the job ends by it: this line says so or one after it, it is about the last one, or the job
    -- never came to its first step
    and (
        t.is_exception
        or t.lines_to_end < 3
        and (t.is_grave or c.concept in ('time_limit', 'preempted', 'cancelled'))
        or t.lines_to_end < 6
        and not t.has_steps
        and (t.is_grave or c.concept <> 'node_lost')
        or exists (from trouble_sign)
        or exists (
            from told_line o
            join told_sense s on s.sentence = o.sentence and s.sense = 'ended'
            where o.file_id = t.file_id and o.line_no between t.line_no and t.line_no + 10
        )
    )
    -- where the job itself speaks, a machine's journal says less
    and (
        t.is_exception
        or t.rank is not null
        or not exists (from job_output)
        or exists (from job_output o where o.file_id = t.file_id)
        or speaks_of_job(message)
    )
    -- and how its programs are set up is no job's trouble
    and not (
        c.concept in ('config', 'incompatible', 'init', 'service', 'connect', 'limit')
        and not t.is_exception
        and (is_of_a_journal(t.host, t.pid, t.rank, message) or is_of_a_daemon(t.prefix, message))
        and not exists (from job_output o where o.file_id = t.file_id)
    )
    -- nor is what a tool of a script does not find, where no job is known to have failed
    and not (
        regexp_matches(
            message,
            '^(?:find|ls|rm|cp|mv|ln|cat|grep|tail|head|wc|du|stat|touch|rmdir|chmod|chown|mkdir|cd'
            || '|sed|awk|rsync|tar|kill|pkill|source|module): |^[^ ]+: line [0-9]+: (?:cd|kill): '
        )
        and not exists (from trouble_sign)
    )
    -- what a line tells of trouble between ranks is sharper there
    and not exists (
        from communication_told k
        where
            k.file_id = t.file_id
            and k.line_no = t.line_no
            or c.concept in ('connect', 'init', 'service')
            -- a setting that is wrong comes before the ranks that miss each other for it
            or c.concept = 'config'
            and not (k.file_id = t.file_id and k.line_no > t.line_no)
    )
    -- an exception of a setting is one of the program's own
    and not (t.is_exception and c.concept in ('config', 'init', 'connect', 'incompatible'))
    -- a check of the nodes says it sharper
    and not (c.concept = 'node_lost' and exists (from node_result where not passed))
    -- a probe of a container, which is made again
    and not (what = 'connect' and regexp_matches(message, '(?i)\bprobe\b'))
    and not exists (
        from taking_back o
        where o.file_id = t.file_id and o.line_no between t.line_no and t.line_no + 20
    )
qualify row_number() over (order by time nulls last, file_id, line_no) = 1
