-- What a line of any program names of the ranks of a job, by the words of the field: no library's
-- own sentences. A macro has a name here once. The numbers in a list as it is printed: `[0, 2]`,
-- `3,5-7`, `rank 4 and rank 9`.
create macro printed_ranks(list) as
    list_distinct(
        list_transform(regexp_extract_all(list, '[0-9]+'), lambda n:try_cast(n as bigint))
    )
;

-- Ranks of which a line says that they did not come to what the others wait in.
create macro told_missing_ranks(text) as
    printed_ranks(
        coalesce(
            nullif(
                regexp_extract(
                    text,
                    '(?i)(?:missing|absent|stragglers?|lagging|late|no (?:contribution'
                    || '|response|answer'
                    || '|data|tokens|message|reply) from|not heard from|waits? for'
                    || '|waiting (?:for|on)'
                    || '|blocked (?:by|on)|stuck on)(?: (?:the|global|source|src|remote|peer'
                    || '|these))*'
                    || ' *:? *(?:ranks?|workers?|members?)(?:\(s\))?(?: are| is)?[ :=#]*'
                    || '([\[{(]?[0-9]+(?:(?:, ?| and | ?& ?|-|, ranks? | and ranks? )[0-9]+)*)',
                    1
                ),
                ''
            ),
            nullif(
                regexp_extract(
                    text,
                    '(?i)\b(?:ranks?|workers?|members?)[ :=#]*([\[{(]?[0-9]+(?:(?:, ?| and '
                    || '|-)[0-9]+)*)[\]})]?'
                    || '(?: ?\([^)]*\))?(?: (?:on|at|of) [0-9A-Za-z._-]{1,60})?:?'
                    || ' (?:(?:has|have|had|did|do|does|was|were|is|are)'
                    || '(?: still| yet)?(?: not|n''t|nt)|never|failed to|has yet to|have yet to)'
                    || ' (?:yet |been |even )?'
                    || '(?:enter|reach|arriv|join|respond|contribut|come|came|start|answer'
                    || '|show|seen|heard'
                    || '|send|sent|issue|participat|post|ready|check|regist|connect|call|report'
                    || '|progress|advanc|ma[dk]e)',
                    1
                ),
                ''
            ),
            nullif(
                regexp_extract(
                    text,
                    '(?i)\b(?:ranks?|workers?|members?)[ :=#]*([\[{(]?[0-9]+(?:(?:, ?| and '
                    || '|-)[0-9]+)*)[\]})]?'
                    || '(?: ?\([^)]*\))? (?:is|are|was|were) '
                    || '(?:missing|absent|behind|lagging|late\b|stalled|stuck)',
                    1
                ),
                ''
            ),
            nullif(
                regexp_extract(
                    text,
                    '(?i)\bwait(?:s|ing) (?:for|on) [a-z][0-9a-z.-]* ?\(rank ([0-9]+)\)',
                    1
                ),
                ''
            ),
            -- a list behind how many came
            nullif(
                regexp_extract(
                    text,
                    '(?i)\branks?\b.{1,60}[;,(] ?(?:missing|absent|not (?:arrived|seen)) ?[:=] ?'
                    || '([\[{(]?[0-9]+(?:, ?[0-9]+)*)',
                    1
                ),
                ''
            ),
            ''
        )
    )
;

-- Whether a line speaks of a collective, and not of the start.
create macro is_in_collective(text) as
    regexp_matches(
        text,
        '(?i)(?:^|[^a-z])(?:barrier|collective|all[-_ ]?(?:reduce|gather|to[-_ ]?all)|broadcast'
        || '|reduce[-_ ]?scatter)'
    )
    and not regexp_matches(text, '(?i)rendezvous|regist|init|bootstrap|startup|join')
;

-- [how many came, of how many], where a line counts them.
create macro told_joined(text) as
    list_filter(
        list_transform(
            [
                regexp_extract(
                    text,
                    '(?i)\b([0-9]+)(?: out)? ?(?:of|/) ?([0-9]+)(?: expected| other)?'
                    || '(?: (?:ranks?|workers?|nodes?|peers?|processes|members?|participants?'
                    || '|hosts?'
                    || '|trainers?|agents?|pods?))?(?: (?:have|has|had|were|are))?'
                    || ' (?:joined|registered|connected|arrived|came|checked|reported|present'
                    || '|ready)\b',
                    ['joined', 'expected']
                ),
                regexp_extract(
                    text,
                    '(?i)\b(?:joined|registered|connected|arrived|ready|got)"?[ :=]+([0-9]+)\b'
                    || '.{0,30}\b(?:expected|total|world_?size|of|need(?:ed)?'
                    || '|required)"?[ :=]+([0-9]+)\b',
                    ['joined', 'expected']
                )
            ],
            lambda m:[try_cast(m.joined as bigint), try_cast(m.expected as bigint)]
        ),
        lambda m:m[2] is not null
    )[1]
;

-- The rank that a line is about or from, where its front names one: not the other end's.
create macro told_rank(text) as
    case
        when
            not regexp_matches(
                regexp_extract(text, '(?i)^(.{0,60}?)\brank[ =:#]?[0-9]+\b', 1),
                '(?i)\b(?:to|from|for|with|by|on|of|peer|missing|source|src|and|than|remote'
                || '|dst|or|lost)[ :=(]*(?:(?:local|global) )?$'
            )
        then
            try_cast(
                regexp_extract(text, '(?i)^.{0,60}?\brank[ =:#]?([0-9]+)\b', 1) as bigint
            )
    end
;

-- What a coordination service says of its tasks (an event of coordination_task) tells of trouble:
-- it is not what it says at every start, nor a line of a list that its head tells of.
create macro is_task_trouble(event) as
    event not in ('session', 'ready', 'connecting', 'straggler', 'task')
;
