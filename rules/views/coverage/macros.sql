-- What lines that differ in numbers and names have in common: addresses, quoted texts, paths and
-- numbers become marks.
create macro line_template(text) as
    regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace(text, '"[^"]*"|''[^'']*''|`[^`]*`', '<text>', 'g'),
                '(?:/[^ /:,;()<>\[\]]+)+/?',
                '<path>',
                'g'
            ),
            '\b(?:0x[0-9a-fA-F]+|[0-9a-fA-F]{8,}|[0-9a-f]+(?:[:-][0-9a-f]+){3,})\b',
            '<id>',
            'g'
        ),
        '[0-9]+(?:[.,:][0-9]+)*',
        '<n>',
        'g'
    )
;

-- What a logger calls a line, by what stands before its message: the innermost level, its name or
-- letter in capitals; empty where there is none.
create macro logged_level(prefix) as
    upper(
        coalesce(
            nullif(
                regexp_extract(
                    prefix, '(?i)(?:"(?:level|severity|levelname|lvl)": ?"|\blevel=)([a-z]+)', 1
                ),
                ''
            ),
            nullif(
                regexp_extract(
                    prefix,
                    '.*(?:^|[^=A-Za-z0-9_./-])'
                    || '(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL|SEVERE)'
                    || '(?:[^=A-Za-z0-9_./-]|$)',
                    1
                ),
                ''
            ),
            regexp_extract(
                prefix,
                '(?:^\[?|.*[\[ ])([VDIWEFC])(?:[0-9]{3,8} | [0-9]{4}-| [A-Za-z_]+\.(?:cc|cpp|h):)',
                1
            ),
            ''
        )
    )
;

-- A line whose own logger calls it news.
create macro is_news(prefix) as
    coalesce(
        list_contains(
            ['TRACE', 'DEBUG', 'INFO', 'NOTICE', 'VERBOSE', 'V', 'D', 'I'], logged_level(prefix)
        ),
        false
    )
;

-- A line that its logger calls a warning.
create macro is_warned(prefix) as
    logged_level(prefix) in ('W', 'WARN', 'WARNING')
;

-- A line that its program itself calls harmless: of a level below an error, or it says so.
create macro is_mild(text) as
    regexp_matches(
        coalesce(text, ''),
        -- comments, and what a program's help says of an option
        '^\s*(?:#(?:[^#]|$)|//|raise |--?[A-Za-z][A-Za-z_-]*(?: [A-Z_]+)?  )|'
        || '^(?i:finished|done|completed)[,;:.] |'
        || '\b(?:[Dd]one|[Ff]inished|[Cc]ompleted?|[Ss]uccess(?:fully)?)[.!,;:]+ *[Ee]xiting\b|'
        || 'To enable traceback see|'
        -- on the way out
        || '^Runner terminated\.$|'
        || 'Failed to disconnect from coordination service|'
        -- torchrun's table, whose numbers are read
        || '\bSignal [0-9]+ \(SIG[A-Z0-9]+\) received by PID|'
        -- a level, not the value of a setting that a line advises (NCCL_DEBUG=INFO)
        || '(?:^|[^=A-Za-z0-9_])(?:INFO|DEBUG|TRACE|NOTICE|WARN|WARNING)\b|^\s*\[?[IWD][0-9]{4} |'
        || '^\[[IWD] | [IWD] [0-9]+ [0-9]+\] |: [IWD] /|\|CCL_(?:WARN|INFO|DEBUG)\||'
        || '^[IWD] [^ ]+\.(?:cc|cpp|cu|h):[0-9]+\] |'
        -- what a later version will do
        || '\bdeprecated\b[ -~]{0,40}\b(?:will be|use|in favou?r|instead)\b|'
        || 'will be (?:removed|dropped) in|'
        || '\b(?:will|is going to) (?:be raised to|be turned into|become|raise) an? '
        || '(?:error|exception)\b|'
        || '\[[IWD]\]|(?i)non-?fatal|not fatal|harmless|ignor|skipp|retrying|will retry|'
        || 'retries in|will try|trying again|fall(?:ing|s)? back|continu|would have|\bcorrected|'
        || '\bresolved after\b|resum(?:ing|ed|es) normal|'
        -- the line of code below a warning
        || '^\s*(?:[a-z]+\.)*warn(?:ing|_once)?\($|'
        || '\bnot (?:supported|available|found|enabled)[,;] (?:so )?(?:using|defaulting)\b|'
        || '\b(?:could|can)(?:not|n''t| not) (?:obtain|get|allocate|reserve|use)\b[^;]*[,;] '
        || '(?:so )?(?:using|taking|going on|falling back|continuing)\b|'
        || 'recovered|\bgoing to [^ ]+ instead\b|warning:|<(?:warn|info|debug|trace)|\[warn|'
        -- what Ray says of every actor that may be started again, of its own metrics, and of what
        -- is still to come
        || '\bconstructor arguments in the object store and max_restarts\b|'
        || '\bmetrics exporter agent\b|\bwill fail if\b|'
        -- shells and desktops without a terminal
        || 'no job control in this shell|cannot set terminal process group|XDG_RUNTIME_DIR|'
        -- what TensorFlow and JAX say beside each other at every start
        || '\bregister factory for plugin\b|^Unable to initialize backend ''|'
        -- of programs that write down the version of their code, where git knows none or may not
        -- tell it
        || '^\s*(?:stderr: ''?)?fatal: (?:not a git repository'
        || '|detected dubious ownership in reposit|unsafe repository'
        || '|(?:bad|ambiguous) (?:revision|argument) ''?HEAD'
        || '|no names found'
        || '|no such remote|no upstream configured|no tags can describe)|'
        || '\bgit (?:root|diff|remote|commit) error\b|Cmd\(''git''\) failed|'
        -- a file is written, whatever it is called
        || '^(?:Figure|Plot|Image|Data|Results?|Report|File)s? (?:is |was |were )?'
        || '(?:saved|written|exported) (?:to|as|in) |'
        -- what transformers logs by its name are warnings: its errors are exceptions
        || '^\[transformers\] |'
        -- a process that had ended when somebody looked at it
        || '/proc/[0-9]+/[a-z_]+\b.*[Nn]o such (?:file|process)|'
        -- what it is taken for instead
        || '[.;,] (?:[Ss]o )?[Tt]reat(?:ing|ed)? (?:it|this|them|these) as |'
        -- something is not there, and what is done about it
        || '\b(?:not found|not exist|no such [a-z]+|absent|missing)\b[^.!;,]*[.!;,]+ *'
        || '(?:(?:so|now) )?(?:(?:down)?loading|creating|initiali[sz]ing|generating|building'
        || '|fetching|starting from|training from)'
        || '(?: (?:it|the|an?|one|new|from|with|default|fresh|scratch|base|pre-?trained|initial'
        || '|random)\b|(?: now)?\.*$)|'
        -- rocm-smi of what a card does not offer
        || '\bGPU\[[0-9]+\]\s*: [ -~]*'
        || '(?:\bunsupported|_not_supported|\bnot been implemented in this)\b|'
        -- a server gives up one request, not itself
        || '\babort(?:ed|ing)? (?:[a-z0-9]+ ){0,2}requests?\b|'
        || '^Error with model\b.*\bcode=4[0-9]{2}\b|'
        || '"(?:GET|POST|PUT|HEAD|DELETE|OPTIONS) /[^"]* HTTP/[0-9.]+" [1-4][0-9]{2}\b|'
        -- figures that have no value; how an optimizer ends
        || '\b(?:is|are) shown as (?i:nan|n/a|-)|\bmaximum number of iterations\b|\berror norm\b|'
        -- a page beside the job is closed
        || '^(?:TensorBoard|Aim|MLflow|Jupyter\w*|gunicorn)\b[ -~]{0,40}\bSIG(?:TERM|INT)\b'
    )
;

-- A line as programs end with it: an exception, a level above a warning, a word of giving up.
create macro is_grave(text, word) as
    word = 'fatal'
    or regexp_matches(
        text,
        '^[A-Za-z_.]*(?:Error|Exception|Failure|Interrupt|Exit)\b|'
        || '\b(?:ERROR|CRITICAL|FATAL|SEVERE|PANIC)\b|^\[?[EF][0-9]{4} |\[[EF]\]|'
        || '^(?:Error|error|ERROR)\b'
    )
;

-- A line of a launcher, a scheduler or a build that only says that something has ended: the reason
-- is in another.
create macro is_aftermath(text) as
    regexp_matches(
        text,
        '^srun: (?:Job step aborted|Force Terminated|Terminating)|^g?make(?:\[[0-9]+\])?: \*\*\*|'
        || 'CalledProcessError|ChildFailedError|^SystemExit|'
        || '(?i)\b(?:exit(?:ed|s|ing)?|return(?:ed|s)?|terminated|completed|finished|failed|ended|'
        || 'died)\b[ -~]{0,60}\b(?:exit|status|return|code|signal)[ _:=]|'
        || 'non-?zero (?:exit|status|return)|'
        || 'one or more (?:processes|tasks|workers)|primary job|(?:killing|terminating|stopping) '
        || '(?:all |the |other |remaining )*(?:process|worker|job|task|child|subprocess)'
    )
;

-- What pip says of a build that failed: that it did.
create macro is_word_of_pip(text) as
    regexp_matches(
        text,
        'subprocess-exited-with-error|^ *(?:× )?(?:Building|Preparing|Getting) [ -~]+ '
        || 'did not run successfully|Failed (?:to build|building) (?:editable |wheel)'
        || '|This error originates from a subprocess|ERROR: Failed to build '
    )
;

-- That something leaves or was stopped, and no word of what would be wrong: where its work is told
-- to be done behind, it was the way out.
create macro is_word_of_leaving(text) as
    regexp_matches(
        coalesce(text, ''),
        '(?i)\b(?:exiting|leaving|quitting|terminated|interrupted|stopp(?:ed|ing)|ended|ending)\b'
    )
    and not regexp_matches(
        coalesce(text, ''),
        '(?i)error|exception|fail|fatal|fault|kill|crash|abort|panic|signal|\bsig[a-z]{3,4}\b'
        || '|\bcode\b|\bstatus\b|memory|lost|timed? ?-?out|hung|hang|stuck|unexpected|\bnan\b'
    )
;

-- The last line of a program's traceback: the class of an exception and what it says.
create macro is_exception(text) as
    regexp_matches(text, '^[a-z_.]*[A-Z][A-Za-z_]*(?:Error|Exception): ')
;

-- A line that speaks of ranks, their launcher or what they do together.
create macro speaks_of_ranks(text) as
    not regexp_matches(coalesce(text, ''), '\bEDAC |\[Hardware Error\]')  -- ranks of memory
    and regexp_matches(
        coalesce(text, ''),
        '(?i)\brank|nccl|rccl|hccl|gloo|torch|horovod|deepspeed|megatron|\bray\b|raylet|\bmpi|'
        || 'srun|sbatch|\bworker|c10d|allreduce|collective|process group|launcher'
    )
;

-- A line that speaks of a distributed job: of its ranks, its devices, its training.
create macro speaks_of_job(text) as
    speaks_of_ranks(text)
    or regexp_matches(
        coalesce(text, ''),
        '(?i)cuda|\bgpu|slurm|jax|xla|\btpu|\btrain|\bucx|\bucp|\brdma|\bib_|\bibv|mlx5_'
        || '|\b[ndh]pu\b|neuron|ascend|habana|vllm|sglang|enginecore|\b[tpde]p[0-9]'
        || '|received by pid|inference server|tritonserver|\btask instance\b'
    )
;

-- What a daemon of a scheduler or of containers says, mostly of itself: it is named in front, or
-- it is Slurm's own log, with a time in front and no more than a level behind it.
create macro is_of_a_daemon(prefix, text) as
    regexp_matches(coalesce(prefix, ''), '\b(?:slurm(?:ctl|db)?d|kubelet|dockerd|containerd)\b')
    or (
        regexp_matches(coalesce(prefix, ''), '(?:^|[ :>])\[[0-9-]{10}T[0-9:.]{8,15}\] *$')
        and regexp_matches(text, '^(?:error|fatal|warning|debug[0-9]?): ')
    )
;

-- A line of one of the many programs in a machine's journal: host and process are named, and it
-- does not speak of a job.
create macro is_of_a_journal(host, pid, rank, text) as
    host is not null and pid is not null and rank is null and not speaks_of_job(text)
;

-- What the kernel says, in a journal, or behind a driver's name and its device: of the machine, and
-- never in a program's own words.
create macro is_word_of_kernel(prefix, text) as
    regexp_matches(coalesce(prefix, ''), '\bkernel(?:\[[0-9]+\])?: *(?:\[ *[0-9.]+\] *)?$')
    or regexp_matches(
        coalesce(text, ''),
        '\bkernel: |^(?:EDAC|ACPI|mcelog|sysrq)\b|page allocation failure|\[Hardware Error\]'
        -- a driver, the place of its device on the bus
        || '|^[a-z][a-z0-9_-]{1,24} [0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f][: ]'
        || '|^infiniband [a-z][a-z0-9_]{1,24}: '
    )
;

-- What srun says when it ends a step, whatever the reason: of a task that failed it tells besides.
create macro is_end_of_step(text) as
    regexp_matches(
        coalesce(text, ''), '^srun: (?:Job step aborted|Force Terminated (?:job|StepId))'
    )
;

-- What a shell says of a program that SIGTERM ended, also behind the last drawing of a bar: not by
-- whom.
create macro is_terminated(text) as
    regexp_matches(coalesce(text, ''), '(?:^|[\]|/\\-])Terminated$')
;
