-- table: One row at most: the first line in which a program that no grammar knows tells why the job
-- ended (in the columns of told_line, and of a rule's result): in a sentence that is no
-- supposition. hosts are those that it names, path, url and peer what it could not reach.
-- only with told_line
with
    said as (
        select
            * replace (
                coalesce(what, told_kind(lower(message))) as what,
                -- of a line of keys and values its sentence
                coalesce(
                    nullif(regexp_extract(message, '\b(?:msg|message)="([^"]+)"', 1), ''), message
                ) as message
            ),
            what is null as is_guess
        from told_line
    )
select
    * exclude (is_guess),
    [line_at(file_id, line_no)] as evidence,
    time as "at",
    message as told,
    'possible' as confidence,
    true as otherwise,
    list_filter(
        [
            coalesce(
                nullif(
                    regexp_extract(
                        message,
                        '(?i)(?:\b(?:node|host|machine|instance|agent|vm|heartbeat from'
                        || '|contact with|connection to|tunnel to)s? |\bon )[''"]?'
                        || '([a-z0-9][a-z0-9.-]*[0-9][a-z0-9.-]*)',
                        1
                    ),
                    ''
                ),
                -- whom the sentence is about
                regexp_extract(message, '(?:^|: )([a-z][a-z0-9.-]*[0-9]):? [a-z]', 1)
            )
        ],
        lambda h:h <> '' and not regexp_matches(h, '^[0-9.:]+[a-z]?$')
    ) as hosts,
    nullif(regexp_extract(message, '(?:^|[ ''"(=:])(/[^ :,;''"()]+)', 1), '') as path,
    nullif(regexp_extract(message, '[a-z0-9]+://[^ ,;)''"]+', 0), '') as url,
    nullif(
        regexp_extract(
            message, '\b([A-Za-z0-9][A-Za-z0-9.-]*:[0-9]{2,5}|[0-9]{1,3}(?:\.[0-9]{1,3}){3})\b', 1
        ),
        ''
    ) as peer
from said
where
    what is not null
    and not (is_guess and is_mild(message))
    -- what may come, what is advised, what is only said to be so
    and not regexp_matches(
        message,
        '(?i)\b(?:may|might|if|whether|unless|should|would|in case|optional(?:ly)?|hint|advice'
        || '|note that|for example|waiting|disabled|not used|not needed|full of'
        || '|expected to|when an?|every time|up to|so that|in order to)\b'
        || '|usage:|^\s*(?:# |//|\*|>|\$|<)|\b(?:DEBUG|TRACE)\b|raise [A-Z]|\bdef |^\s*return '
        || '|[{}]\s*$|\);\s*$|warning:|(?-i:\bWARN)'
    )
    and not exists (from training_mark where kind = 'end')
    -- a probe of a container, which is made again
    and not (what = 'connect' and regexp_matches(message, '(?i)\bprobe\b'))
    -- an error's number, and what mpirun says of each end
    and not regexp_matches(message, '(?i)invalid argument|per user-direction|^ninja: ')
    -- what NCCL looks for and does without
    and not contains(message, ' NCCL INFO ')
    -- it speaks of a device's memory
    and not (what = 'memory' and regexp_matches(message, '(?i)cuda|\bgpu|\bhbm|vram|device memory'))
qualify row_number() over (order by time nulls last, file_id, line_no, is_guess) = 1
