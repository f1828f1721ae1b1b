-- A line of source code, of help, of a list of tests, of printed data.
create macro is_code(text) as
    regexp_matches(
        coalesce(text, ''),
        '^\s*(?:(?:raise|def|class|if|elif|else|for|while|return|import|from|with|try)\b|assert'
        || '|self\.|print|except|(?i)usage|//|# |--|\*[^*]|>|\$|<|test[_ ])'
        || '|\{\s*$|^\s*\}|\);\s*$|raise [A-Z]|\bdef |(?i)usage:|\.\.\. ok$'
        || '|^\s*\[?[''"][ !#-&(-~]{60}'
        -- what pytest says below the code of a test, and lists at its end
        || '|^E {3}|^(?:ERROR|FAILED) [^ ]+\.py(?:::[^ ]+)?(?: - .*)?$'
        -- the command line of a compiler
        || '|^[^:]*(?: --?[A-Za-z][^ ]*){5}'
        -- a server's words as it closes, whatever made it close; a desktop's; a firmware's table
        || '|^\[shutdown\] |^\[system\] Rejected send message'
        || '|^\[ *[0-9.]+\] \((?:EE|WW|II|\*\*|--)\) '
        || '|^\s*Descriptor [0-9]+: .*memory error$'
        -- a browser's, a service's of macOS, and what a system's audit keeps
        || '|^\[[0-9]+:(?:[0-9]+:)?[0-9]{4}/[0-9]{6}|\bcom\.apple\.[a-z]+\.'
        || '|\bapparmor="|\btype=[0-9]+ audit\('
        -- a method's result that is given to a name
        || '|^\s*[a-z_][\w.]* = [a-z_]\w*\.[\w.]+\([^'':]*\)\s*$'
        -- the line that warned, below what it warned of, in one line or the first of several
        || '|^\s+(?:_?warnings\.)?warn\('
        -- a frame of a stack
        || '|\.(?:pyx?|cc?|cpp|cxx|cu|hh?|hpp|rs|go|java|js|jl)(?::[0-9]+)? in '
        || '[\w.<>:]+\([^()]*\)\s*$'
        -- a call, alone or given to a name, as a frame of a stack shows it
        || '|^\s+(?:[\w., :\[\]]+ = )?(?:(?:await|yield) )?[\w.]+\((?:[^:]*[(,)])?\s*$'
    )
;

-- A sentence too long for a note of a program, in which no word is of machines and their jobs.
create macro is_prose(text) as
    length(text) >= 120
    and not regexp_matches(
        text,
        '(?i)\b(?:jobs?|tasks?|slurm|pbs|lsf|cluster|scheduler|queue|nodes?|hosts?|servers?'
        || '|machines?|process(?:es)?|pid|worker|ranks?|gpus?|cuda|memory|disk|kill|killed'
        || '|terminated|preempted|cancell?ed|aborted|instances?|vm|containers?|pods?'
        || '|allocation|wall ?(?:time|clock)|time ?(?:limit|out)|signal|sig[a-z]{3,4}'
        || '|training|checkpoints?|session|spot|program|script|exit|python)\b'
    )
;

-- What of a line is judged by its words: without the keys around its message, without advice,
-- without lists of names, and without the code of a condition that did not hold.
create macro told_sentence(text) as
    array_to_string(
        list_filter(
            string_split(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(
                            coalesce(
                                nullif(
                                    regexp_extract(text[:300], '\b(?:msg|message)="([^"]+)"', 1),
                                    ''
                                ),
                                text[:300]
                            ),
                            '(?i)[.!?]? *\((?:please|try|set|use|see|check|consider) [^()]+\)',
                            ''
                        ),
                        '(?i)\b(assert(?:ion)?(?: error| failed)?\b[^''"`]*)[''"`][^''"`]+'
                        || '|[\[({](?: ?[''"][\w./-]+[''"],?){2,} ?[\])}]',
                        '\1',
                        'g'
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
    )
;

-- A word without its ending, so that its forms count alike: kill, kills, killed, killing.
create macro without_ending(word) as
    case
        when regexp_matches(word, '^[a-z]{2,}(?:ing|[^e]ed|es|s|e)$')
        then regexp_replace(word, '(?:ing|([^e])ed|es|s|e)$', '\1')
        else word
    end
;

-- What all forms of a word have in common; what an ending has doubled is single again.
create macro word_stem(word) as
    case
        when regexp_matches(without_ending(word), '[a-z]{2}(?:bb|dd|gg|ll|mm|nn|pp|rr|ss|tt)$')
        then without_ending(word)[:-2]
        else without_ending(word)
    end
;

-- A field and its number, a file of source and its line, set apart: neither is an address.
create macro fields_apart(text) as
    text.regexp_replace(
        '(?i)\b(line|tid|pid|thread|process|rank|worker|task|step|seq|stage):([0-9]+)\b',
        '\1 \2',
        'g'
    )
    .regexp_replace('(?i)(\.(?:cc?|cpp|cu|h|py|go|rs|java|js|lua)):[0-9]+', '\1 ', 'g')
;

-- A sentence in lower case, and in capitals what its names and numbers look like.
create macro with_shapes(sentence) as
    sentence.regexp_replace('([a-z])([A-Z][a-z])', '\1 \2', 'g')
    .regexp_replace('([A-Z]{2})([A-Z][a-z]{2})', '\1 \2', 'g')
    .lower()
    -- CANN's place in its own source
    .regexp_replace('\[(?:func|file|line):[^\]]*\]', ' ', 'g')
    -- what a status of gRPC carries with it: a type, no place
    .regexp_replace('\[type\.googleapis\.com/[^\]]*\]?', ' ', 'g')
    .fields_apart()
    .regexp_replace('[a-z][a-z0-9+.-]*://[^ ,;)"'']+', ' URL ', 'g')
    .regexp_replace('(^|[ ''"`(\[:])--[a-z][a-z0-9_.-]*', '\1 OPTION ', 'g')
    .regexp_replace('\b[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9]\b', ' PCI ', 'g')
    .regexp_replace('[a-z0-9._-]+@[a-z][a-z0-9.-]*', ' EMAIL ', 'g')
    .regexp_replace('\b(?:[0-9]+[smhd]|[0-9]+:[0-9]{2}:[0-9]{2})\b', ' DURATION ', 'g')
    .regexp_replace(
        '\b(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]+)?|[a-z][a-z0-9.-]+:[0-9]{2,5})\b',
        ' ADDRESS ',
        'g'
    )
    .regexp_replace(
        '[^ ''"(]*\.(?:npz|pt|pth|ckpt|safetensors|distcp|h5)\b', ' CKPT ', 'g'
    )
    .regexp_replace('(^|[ ''"(=:])/[^ ,;''"()]+', '\1 PATH ', 'g')
    -- an argument in its quotes, the weight of a term; the method that tells something
    .regexp_replace(
        '`[a-z0-9.]+_[a-z0-9_.]*`|\b[a-z0-9_]+_weight\b|\.run(?:\(\))?: ', ' NAME ', 'g'
    )
    .regexp_replace(
        '\b[0-9.]+ ?(?:[kmgt]i?b?|bytes|s|h)? ?(?:of|/|>|out of) ?[0-9.]+'
        || ' ?(?:[kmgt]i?b?|bytes|s|h)?\b',
        ' SHARE ',
        'g'
    )
    .regexp_replace(
        '\b[0-9][0-9.,]* ?(?:[kmgt]i?b|bytes|[kmgt](?:ibi|iga|ega)?bytes)\b'
        || '|\b[0-9][0-9.]*[kmgt]\b',
        ' SIZE ',
        'g'
    )
    .regexp_replace(
        '\b[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|io|co|ai|dev|cloud)\b',
        ' DOMAIN ',
        'g'
    )
    -- the letters of a digest are no words
    .regexp_replace('\b[0-9]*[a-f][0-9a-f]{11,}\b', ' DIGEST ', 'g')
    .regexp_replace('\blib[a-z0-9_+-]+(?:\.so[.0-9]*)?\b', ' LIBRARY ', 'g')
    .regexp_replace('\bsm_?[0-9]+\b', ' SM ', 'g')
    .regexp_replace('\b(?:one)?[a-z]{1,4}ccl\b', ' CCL ', 'g')
    -- what a job is called is no host
    .regexp_replace('\bjob [''"]?[a-z][a-z0-9_]*(?:-[a-z0-9]+){2,}\b', 'job N', 'g')
    .regexp_replace('\b([0-9]+)(?:-[0-9]+)+\b', '\1', 'g')
    .regexp_replace('\brank_?([0-9]+)\b', ' rank \1 ', 'g')
    .regexp_replace('\b(?:mlx[45]|cxi|hfi|bnxt_re|irdma)_?[0-9]+\b', ' hca ', 'g')
    .regexp_replace('\b50[0-4]\b', ' 50X ', 'g')
    .regexp_replace('\b40[134]\b', ' 40X ', 'g')
    .regexp_replace(
        '\b(?:[a-z][a-z0-9.-]*[0-9]|[a-z0-9]+-[a-z0-9-]*[0-9][a-z0-9]*)\b', ' HOST ', 'g'
    )
;

-- The words of a sentence as plain_phrase has them: stems, and in capitals what others look like;
-- numbers are N but for those that mean something.
create macro plain_words(sentence) as
    list_transform(
        regexp_extract_all(
            with_shapes(sentence), '50X|40X|[A-Z]+|[a-z]+(?:''t)?|[0-9][0-9.:]*'
        ),
        lambda word: case
            when word in ('0', '429', '50X', '40X')
            then word
            when word[1] between '0' and '9'
            then 'N'
            when word[1] between 'A' and 'Z'
            then word
            else word_stem(word)
        end
    )
;
