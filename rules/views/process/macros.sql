-- What a sentence in lower case tells of, by words that occur in it together, in whatever order:
-- the thing, what happened to it, and that something ended by it. NULL where they do not.
create macro told_kind(text) as
    case
        when
            regexp_matches(text, '\b(?:memory|ram|rss|resident set|oom)\b')
            and regexp_matches(
                text, 'limit|ceiling|\bcap\b|allow|quota|budget|exceed|above|over\b|breach'
                || '|out of'
            )
            and regexp_matches(text, 'kill|terminat|stopp|restart|\bend(?:ed|ing)\b|evict'
            || '|abort')
        then 'memory'
        when
            regexp_matches(
                text, '\b(?:disk|volume|file ?system|quota|partition|storage|device)\b|/[a-z]+/'
            )
            and regexp_matches(
                text,
                '\bfull\b|no (?:free )?(?:space|room|inodes)|\b0 (?:blocks|bytes) (?:left|free)'
                || '|over quota|quota .*(?:exceed|reach|exhaust|used up)'
            )
            and regexp_matches(
                text, 'fail|can ?not|can''t|could not|refus|reject|stop|error|denied|abort'
                || '|unable'
            )
        then 'disk_full'
        when
            regexp_matches(
                text, 'file handles|descriptors?\b|open files|\bpids\b|\bfork|memlock'
                || '|locked memory'
            )
            and regexp_matches(text, 'no more|limit|maximum|refus|exhaust|too many|denied')
        then 'limit'
        when
            regexp_matches(text, 'preempt|\bspot\b|reclaim|evict|priority|supersed|displac')
            and regexp_matches(
                text, 'kill|terminat|stopp|\bend(?:ed|ing)\b|evicted|abort|shut|interrupt|leav'
            )
        then 'preempted'
        when
            regexp_matches(text, '\b(?:time|walltime|hours|duration|deadline|lifetime)\b')
            and regexp_matches(
                text,
                '(?:limit|budget|maximum|allowed|quota).*(?:reach|exceed|expire|used up'
                || '|consumed|over)'
                || '|(?:reach|exceed|expire|used up|consumed|over).*(?:limit|budget|maximum'
                || '|quota)'
            )
            and regexp_matches(text, '\b(?:job|run|task|trial|allocation|training|session)\b')
        then 'time_limit'
        when
            regexp_matches(text, '\b(?:user|operator|administrator|admin|dashboard|console'
            || '|web ui)\b')
            and regexp_matches(
                text, '\b(?:stopped|cancell?ed|killed|aborted|terminated|deleted|interrupted)\b'
            )
            and regexp_matches(text, '\b(?:job|run|task|trial|allocation|training|session'
            || '|workers)\b')
        then 'cancelled'
        when
            regexp_matches(text, '\b(?:node|host|machine|instance|vm|agent|power)s?\b')
            and regexp_matches(
                text,
                '\b(?:lost|dead|down|gone|unreachable|vanish|disappear|reboot|panick|offline'
                || '|orphan'
                || '|written off|evacuat|unresponsive|not respond|no longer|failure)'
            )
            and regexp_matches(
                text,
                '\b(?:job|tasks?|run|workload|rank|workers?|process(?:es)?)\b.*'
                || '\b(?:abort|terminat|kill|cancel|stop|lost|dead|gone|orphan|vanish|evacuat'
                || '|fail)'
                || '|\b(?:abort|terminat|kill|cancel|stop|evacuat)\w*.*'
                || '\b(?:job|tasks?|run|workload|rank|workers?|process(?:es)?)\b'
            )
        then 'node_lost'
        when
            regexp_matches(text, '\b(?:image|container|pod|oci|runtime|registry|sandbox)\b')
            and regexp_matches(
                text,
                'not start|reject|\b40[134]\b|denied|stuck|no such|can ?not|could not|back-?off'
                || '|unauthorized|not found|fail(?:ed|ure) to'
            )
            and regexp_matches(text, 'pull|launch|start|creat|entrypoint|hook|manifest|mount')
        then 'container'
        when
            regexp_matches(
                text, 'checkpoint|snapshot|state file|\bweights\b|\bckpt\b|\bresum|safetensors'
            )
            and regexp_matches(
                text,
                'missing|ends early|truncat|corrupt|damag|mismatch|not found|no complete'
                || '|can ?not'
                || '|could not|unable|fail(?:ed|ure)|differ|incomplete|unreadable|bad magic'
            )
        then 'checkpoint'
        when
            regexp_matches(
                text,
                '\b(?:nfs|lustre|gpfs|beegfs|cephfs|weka|fuse|file ?system|file server|mount)\b'
                || '|\b(?:read|write|open|mmap|stat)\w* (?:of |on |from |to )?/'
            )
            and regexp_matches(
                text,
                'not answer|not respond|hung\b|timed? ?out|i/o error|stale|unreachable'
                || '|read-only'
                || '|server gone|disconnect'
            )
        then 'storage'
        when
            regexp_matches(
                text, '\b(?:hub|registry|tracking|tracker|api|login|log in|token|download'
                || '|upload'
                || '|mirror|proxy|bucket)\b|https?://|s3://|gs://'
            )
            and regexp_matches(
                text,
                '\b50[0-4]\b|\b4(?:01|03|04|29)\b|unreachable|giving up|gave up|revoked'
                || '|refused|denied'
                || '|time-?out|timed out|aborting|not reachable|unavailable|rate limit'
            )
        then 'service'
        when
            regexp_matches(
                text, '\b(?:peer|chief|master|coordinator|leader|head node|rendezvous|store)\b'
            )
            and regexp_matches(
                text,
                'no answer|no reply|refused|hung up|timed out|unreachable|gave up|giving up'
                || '|could not|can ?not|unable|failed to connect'
            )
        then 'connect'
        when
            regexp_matches(
                text, '\b(?:ranks?|members?|workers?|peers?|gang|participants?|processes)\b'
            )
            and regexp_matches(
                text, '\b(?:absent|never|did not|only [0-9]+ of|waited [0-9]+|still missing)\b'
            )
            and regexp_matches(
                text, '\b(?:join|arriv|register|connect|form|present|hello|check(?:ed)? in'
                || '|show|come|came)'
            )
        then 'init'
        when
            regexp_matches(
                text,
                '\b(?:version|driver|cuda|nccl|glibc|python|wheel|kernel image|compute|symbol'
                || '|abi'
                || '|aarch64|x86_64|lib[a-z0-9_]+)\b'
            )
            and regexp_matches(
                text,
                '\b(?:needed|required|requires|at least|too old|not supported|mismatch'
                || '|no code for'
                || '|incompatible|undefined|no longer supported|does not match)\b'
            )
        then 'incompatible'
        when
            regexp_matches(
                text,
                '\b(?:config(?:uration)?|cfg|option|argument|flag|setting|parameter|optimizer'
                || '|shards'
                || '|batch|heads|tp|pp|world size|yaml|dataset|tokenizer)\b'
            )
            and regexp_matches(
                text,
                'must be|unknown|no such|not found|does not exist|exists already|already exists'
                || '|can''t be|can ?not be|not divisible|0 files|refus|invalid|missing'
                || '|unrecogni'
            )
        then 'config'
    end
;
