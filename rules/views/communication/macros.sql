-- What a line of any program tells of the ranks of a job, by the words of the field: no library's
-- own sentences. A macro has a name here once. An operation of several ranks, or what they meet by.
create macro names_collective(text) as
    regexp_matches(
        text,
        '(?i)(?:^|[^a-z])(?:i?all[-_ ]?(?:reduce|gather|to[-_ ]?all)|reduce[-_ ]?scatter'
        || '|collective)'
        || '|(?:^|[^a-z])(?:i?broadcast|barrier|communicators?|rendezvous|process[-_ ]?groups?'
        || '|[a-z]{1,4}ccl|[a-z]{0,5}coll|ring|bootstrap|quorum|comms?|n?v?shmem|symmetric heap'
        || '|uc[xp]|nixl)(?:[^a-z]|$)'
        || '|(?:^|[^a-z])(?:send|recv|receive|dispatch|combine)[a-z ]{0,30}timed out'
        || '|\b(?:RPC|transfers?)\b.{0,60}(?:timed out|timeout|after [0-9]+ s)'
        || '|(?:^|[^a-z])(?:i?send|i?recv|receive|dispatch|combine)\b.{0,60}\brank'
        || '|集合通信|通信(?:初始化|超时|失败)'
    )
    or regexp_matches(
        text, '[a-z](?:AllReduce|AllGather|ReduceScatter|AllToAll|Broadcast|Barrier|Collective)'
    )
;

-- Somebody who takes part: a rank, or a process under another name.
create macro names_party(text) as
    regexp_matches(
        text,
        '(?i)(?:^|[^a-z])(?:ranks?[ =:#\[(]*[0-9]|ranks\b|(?:workers?|peers?|members?'
        || '|replicas?|trainers?|learners?|pes?|stage|coordinator|master|leader|chief'
        || '|parameter server|ps|remote (?:rpc|rank|worker|process|agent|session)'
        || '|(?:decode|prefill|engine|server) instance|rpc call'
        || '|(?:subsequent|initial|missing) heartbeats?)(?:[^a-z]|$))'
    )
;

-- What went wrong between ranks: mismatch (they called different things) | missing (who did not
-- come is named) | init (they did not all meet) | connect | transport (RDMA) | peer (the other end
-- is gone) | timeout | gave_up (the rest); NULL where the words tell of nothing of the kind.
create macro communication_trouble(text) as
    case
        -- source code, help, what another line tells, what is meant to be so
        when
            regexp_matches(
                text,
                '(?i)^\s*(?:raise|def|class|if|elif|else|for|while|return|assert|self\.|print'
                || '|import|from|with'
                || '|try|except|usage|//|#|--|\*|>|test[_ ])|(?i)\bfailing over|\.\.\. ok$'
                || '|\b(?:when|whenever|unless|after which|until) (?:a|an|the|it|any|this|all)\b'
                || '|\b(?:beegfs|lustre|lnet|nfs|gpfs|mmfs|ceph|kex_exchange_identification)\b'
                || '|\b(?:restored|recovered|reconnected|succeeded|is back|passed)\b'
            )
        then null
        when not names_collective(text) and not names_party(text) and not is_about_fabric(text)
        then null
        when lacks_memory(text) or regexp_matches(text, '(?i)memlock|cannot allocate memory')
        then 'gave_up'
        when
            regexp_matches(
                text,
                '(?i)\b(?:differ(?:s|ent)?|mismatch(?:ed|es)?|inconsistent|disagree[sd]?'
                || '|do(?:es)? not (?:match|agree)|expects?|while ranks?|consistency check)\b'
            )
            and regexp_matches(text, '(?i)\branks?[ =:#\[(]*[0-9]')
            and (
                names_collective(text)
                or regexp_matches(
                    text,
                    '(?i)\b(?:shapes?|sizes?|counts?|elements?|numel|dtypes?|sequence|ops?'
                    || '|operations?|called|calls|splits?|rows)\b'
                )
            )
            and not regexp_matches(text, '(?i)\b(?:version|driver|cuda|library)\b')
        then 'mismatch'
        -- links within a host or a rack: the device's
        when
            regexp_matches(
                text, '(?i)\b(?:nvlinks?|nvswitch|xgmi|imex|fabric (?:manager|state|handle))\b'
            )
        then 'gave_up'
        when len(told_missing_ranks(text)) > 0
        then
            case
                when
                    regexp_matches(
                        text, '(?i)\b(?:join|regist|connect|rendezvous|bootstrap|init'
                            || '|check(?:ed)? in)'
                    )
                    and not regexp_matches(text, '(?i)barrier|all[-_ ]?(?:reduce|gather)')
                then 'init'
                else 'missing'
            end
        when
            told_joined(text)[1] < told_joined(text)[2]
            or regexp_matches(
                text,
                '(?i)(?:rendezvous|bootstrap|quorum|process[-_ ]?group|world'
                || '|init[a-z]*)\b.{0,100}'
                || '(?:timed? ?out|deadline|gave up|giving up|expired|incomplete)'
                || '|(?:unable|failed|could not) (?:to )?(?:meet|find'
                || '|see) .{0,30}\b(?:processes|peers|ranks|workers|group)\b'
                || '|\bkey\b.{0,80}not (?:set|found|published|there)'
                || '|world[ _]size|registered twice|(?:timed out|gave up'
                || '|giving up) waiting for .{0,40}'
                || '\b(?:workers?|ranks|peers|nodes|members|hosts|agents)\b'
            )
        then 'init'
        -- what a card or its queues say of a path that is not there is theirs
        when
            is_about_fabric(text)
            and regexp_matches(
                text,
                '(?i)\b(?:[qc]p|cqe?|qpn?|queue pair|completion|work request)\b.{0,80}'
                || '(?:fail|error|timed out|exceed)|(?:fail|error)[a-z]*\b.{0,80}\b(?:qp|cqe?'
                || '|queue pair)\b'
                || '|retr(?:y|ies|ansmi[a-z]+)\b.{0,24}(?:exceed|exhaust)'
            )
        then 'transport'
        when
            regexp_matches(
                text,
                '(?i)refused|no route to|unreachable|no such host|name or service|name resolution'
                || '|not resolve|EHOSTUNREACH|ECONN(?:REFUSED|ABORTED)|ETIMEDOUT'
                || '|(?:cannot|can''t|could not|couldn''t|unable to|failed to|failure to) '
                || '(?:reach|connect|establish|contact|dial)'
                || '|(?:connect[a-z]*|connection|dial[a-z]*)\b.{0,80}(?:timed? ?out|failed'
                || '|failure)'
                || '|连接.{0,60}(?:超时|失败|拒绝)'
            )
        then 'connect'
        when
            is_about_fabric(text)
            and regexp_matches(
                text,
                '(?i)retr(?:y|ies|ansmi[a-z]+)\b.{0,24}(?:exceed|exhaust)|too many retr'
                || '|completion.{0,20}error|\bundeliver|overrun|overflow|fatal|error state'
                || '|torn down'
                || '|fail(?:ed|ure)|\berr(?:or)?\b|disabled|timed out'
            )
        then 'transport'
        when
            regexp_matches(
                text,
                '(?i)(?:closed|dropped|reset|hung up|lost|broken) by .{0,12}(?:peer|remote'
                || '|other (?:side|end))'
                || '|\b(?:connection|socket|link|channel|stream)\b.{0,60}'
                || '\b(?:closed|dropped|reset|lost|broken|gone|eof)\b'
                || '|\b(?:rank|peer|worker|member|replica|trainer|learner|ps|server|instance'
                || '|session)\b.{0,60}'
                || '\b(?:eof|gone|lost|dead|died|vanished|disconnected|unresponsive'
                || '|left unexpectedly'
                || '|not respond(?:ing)?|not alive|crashed|expired|is down|disappeared)\b'
                || '|\b(?:lost|dead|evicted|dropped) (?:rank|peer|worker|member|replica'
                || '|trainer|learner)\b'
                || '|\bno heartbeat|heartbeats? .{0,40}(?:lost|missing|missed|time ?out'
                || '|expired|stopped)'
                || '|missed .{0,12}heartbeats?|missing heartbeats?|not get .{0,20}heartbeat'
                || '|broken pipe'
            )
        then 'peer'
        when
            names_collective(text)
            and regexp_matches(
                text,
                '(?i)timed? ?out|time limit|did(?: not|n''t) (?:finish|complete|return)'
                || '|not (?:finished|completed|done) |exceeded (?:its|the) (?:deadline|limit'
                || '|timeout)'
                || '|\b(?:pending|running|stuck|blocked|waiting|waited|hung|stalled'
                || '|hanging) (?:for )?[0-9]'
                || '|\b(?:stuck|hung|hang|hangs|deadlock(?:ed)?|stalled|expired)\b|no progress'
                || '|not reached by|within [0-9]+ ?(?:s|secs?|seconds?|min|ms)\b'
                || '|after [0-9]+ seconds|超时'
            )
        then 'timeout'
        when
            regexp_matches(
                text,
                '(?i)\bhang[- ](?:detect|check)|\bno (?:step|iteration|progress)[a-z ]* for [0-9]'
                || '|\b(?:step|iteration) [0-9]+ (?:is|has been) (?:running|stuck|pending)'
            )
        then 'timeout'
        when
            (
                names_collective(text)
                or regexp_matches(text, '(?i)\b(?:coordinator|p2p|gpudirect)\b')
            )
            and regexp_matches(
                text,
                '(?i)fail(?:ed|ure|s)?\b|\berror\b|cannot|can''t|could not|unable|invalid'
                || '|abort|refus'
                || '|mismatch|illegal|unsupported|not supported|destroyed|twice|in use|broken'
                || '|not running|not loaded|no common|no network|denied|corrupt|must be'
            )
        then 'gave_up'
    end
;

-- RDMA, its cards and what is made of them.
create macro is_about_fabric(text) as
    regexp_matches(
        text,
        '(?i)(?:^|[^a-z])(?:rdma|roce|infiniband|ibv?_[a-z]|verbs|efa|cxi[0-9]|hfi1|mlx[45]_'
        || '|bnxt_re'
        || '|irdma|libfabric|hca|(?:send|receive|completion|event) queue|qpn?|cqe?s?)(?:[^a-z]|$)'
        || '|transport retr|retransmi'
    )
;

-- The numbers in a list as it is printed: `[0, 2]`, `3,5-7`, `rank 4 and rank 9`.
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
                    || '(?: ?\([^)]*\))?:? (?:(?:has|have|had|did|do|does|was|were|is|are)'
                    || '(?: still| yet)?(?: not|n''t|nt)|never|failed to|has yet to|have yet to)'
                    || ' (?:yet |been |even )?'
                    || '(?:enter|reach|arriv|join|respond|contribut|come|came|start|answer'
                    || '|show|seen|heard'
                    || '|send|sent|issue|participat|post|ready|check|regist|connect|call)',
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
            ''
        )
    )
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
                || '|dst|or|lost)[ :=(]*$'
            )
        then
            try_cast(
                regexp_extract(text, '(?i)^.{0,60}?\brank[ =:#]?([0-9]+)\b', 1) as bigint
            )
    end
;
