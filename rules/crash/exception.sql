/*
title = "A Python exception ended the program"
severity = "critical"
confidence = "definite"
status = "stable"
explains = [
  "hang",
  "network.peer_lost",
  "network.connect_failure",
  "network.ib_error",
  "divergence.stack",
  "divergence.collective_count",
  "loss.rollback",
]
explains_same_place = ["crash.signal"]
gives_way_to = ["crash.checkpoint", "crash.config", "env.incompatible"]
transient = true
about = """
The first exception across ranks that is the program's own. Not reported: the echo in ranks that
lost their peer, the launcher's summary, what the rules for the loss, memory, GPUs, collectives or
disks explain better, and an exception after which training went on.
"""
false_positives = "An exception that was logged and handled at the very end of a log."
references = ["https://docs.python.org/3/library/exceptions.html"]
summary = '''
{% if ranks %}{{ ranks | ranks | capital }} raised
{% elif local_rank is not none %}Local rank {{ local_rank }} raised
{% elif task is not none %}Task {{ task }} raised
{% elif of_cxx %}A C++ exception that nobody caught:{% endif %}
{{ type.split('.')[-1] }}
{%- if details %}: {{ details | cut(200) }}{% elif message %}: {{ message | cut(200) }}{% endif %}
{% if own_file %}at {{ own_file }}:{{ own_line }}
{% elif file %}at {{ file }}:{{ line }}{% endif %}
'''

[[step]]
when = "damaged_input"
say = '''
{% if path %}Restore {{ path }} from its source: it is damaged.{% else %}Find the damaged file and
restore it from its source: read the data set once to its end with the same reader, and compare the
sizes or checksums of its files with the source's.{% endif %} Where it is damaged again, or others
are too, look for errors of the file system that holds it.
'''
run = ["ls -l {{ path }}", "file {{ path }}", "dmesg -T | grep -iE 'i/o error|nfs|lustre' | tail"]

[[step]]
when = "unused_in_backward"
say = '''
Find the parameters that the loss of that step does not depend on
{%- if unused_parameters %} ({{ unused_parameters | cut(120) }}{% if unused_on %} on rank
{{ unused_on }}{% endif %}){% endif %}: DistributedDataParallel waited for their gradients. With
TORCH_DISTRIBUTED_DEBUG=DETAIL the error names them. Leave them out of the model, or build
DistributedDataParallel with find_unused_parameters=True.
'''
run = ["export TORCH_DISTRIBUTED_DEBUG=DETAIL", "grep -rn find_unused_parameters ."]

[[step]]
when = "of_child"
say = '''
Read what the program that it started printed, above this exception or in a log of its own: here it
is only said that it ended with an error.
'''
run = ["grep -n -F -B 60 {{ message | cut(60) }} {{ paths[0] }}"]

[[step]]
when = "own_code and not of_child and not unused_in_backward"
say = '''
Start at {{ own_code }}, the innermost frame of your own code
{%- if file != own_file %}; a library raised the exception at {{ file }}:{{ line }}{% endif %}.
{% if raised_message %}What it ended with, {{ raised_type or type }}:
{{ raised_message | cut(80) }}, only follows from it.{% endif %}
'''
run = ["sed -n {{ [own_line - 8, 1] | max }},{{ own_line + 4 }}p {{ own_file }}"]

[[step]]
when = "not own_code and not of_child and not unused_in_backward"
say = '''
Read what was printed before the exception; its traceback shows no line of your own code.
{% if raised_message %}What it ended with, {{ raised_type or type }}:
{{ raised_message | cut(80) }}, only follows from it.{% endif %}
'''
run = ["grep -n -F -B 30 {{ type }} {{ paths[0] }}"]

[[step]]
when = "not hosts and ranks and (world_size or 0) > 8"
say = '''
No line says on which host that was: have torchrun put host and local rank before every line.
'''
run = ["torchrun --role $(hostname -s): --tee 3 …"]

[[step]]
when = "kind == 'own' and ranks and world_size and ranks | length * 2 <= world_size"
say = '''
Look at what {{ ranks | agree('this rank has', 'these ranks have') }} to
{{ ranks | agree('itself', 'themselves') }}: {{ ranks | length | count('rank') }} of
{{ world_size }} raised it. Compare the data shard first, then the host
{%- if hosts %} ({{ hosts | names }}){% endif %} and its software.
'''

[[step]]
when = "of_optimizer"
say = '''
Compare the optimizer's state with the parameters that it updates: no sample takes part in this
step. It was loaded from a checkpoint of another model or with its parameters in another order, or
parameters were replaced after the optimizer was made. Start once without the loaded state to see
which.
'''

[[step]]
when = '''
kind == 'own' and own_code and not other_model and not of_settings and not of_optimizer and
(type in ('KeyError', 'IndexError') or type in ('ValueError', 'RuntimeError') and
'number of dimensions' not in message and
('size' in message or 'shape' in message or 'length' in message))
'''
say = '''
Find the sample: log the indices of every batch, or read the data set once on a CPU with the same
collate function, and look for what is missing, too long or out of range.
'''

[[step]]
when = "kind == 'own' and of_settings and not other_model"
say = '''
Find the settings that these numbers come from: batch size, microbatches, and into how many parts
the model and the data are cut (pipeline stages, tensor, data, context and expert parallel). One of
them has to change.
'''

[[step]]
when = "other_model"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}One rank{% endif %} built another model than
the rank it is compared with. Print names and shapes of the parameters on both: a configuration or a
checkpoint of one rank, a layer that depends on the rank or the data, or different code on the hosts
makes them differ.
'''
run = ["grep -n -i rank {{ own_file }}"]

[[step]]
when = "kind == 'own' and type in ('AttributeError', 'TypeError', 'NameError', 'ImportError')"
say = '''
If the code has not changed, compare the libraries with those of the last run that worked: it uses
a name or an argument that this version does not know.
'''
run = ["pip freeze", "git log --oneline -n 10"]

[[step]]
when = "details and 'larger than max' in details"
say = '''
Raise the message size on both sides (grpc.max_receive_message_length and
grpc.max_send_message_length), or send the data in smaller pieces.
'''

[[step]]
when = '''
type.startswith(('requests.', 'urllib3.', 'botocore.', 'aiohttp.', 'httpx.', 'huggingface_hub.'))
'''
say = '''
Check that {% if hosts %}{{ hosts | names }}{% else %}every host{% endif %} can reach the
service, and fetch what is needed before the job starts, so that one failed request does not end the
run.
'''

[[step]]
when = "kind == 'loss'"
say = '''
Look at the loss and the gradient norm of the steps before: the program stopped itself because a
value was NaN, infinite or out of range. Restart from a checkpoint before that.
'''
run = ["grep -ni -e loss -e grad.norm {{ paths[0] }} | tail -n 40"]

[[step]]
when = "kind == 'writer'"
say = '''
Check the file system that the file was written to: full, over its quota, or with errors. Remove
the partial file before you start again.
'''
run = ["df -h", "df -i", "dmesg -T | grep -iE 'i/o error|nfs|lustre' | tail"]

[[step]]
when = "kind == 'checkpoint'"
say = "Resume from the last checkpoint that loads; compare this one's size with that of others."

[[step]]
when = "kind == 'incompatible'"
say = "Compare the installed versions with those the package was built for."
run = ["python -m torch.utils.collect_env", "pip freeze"]

[[step]]
when = "renamed"
say = '''
Let one process fetch or write it while the others wait, or give each a name of its own for what is
not complete yet: what is to be renamed was there a moment before, and another has renamed it.
'''

[[step]]
when = """kind == 'config' and not renamed
  and type in ('FileNotFoundError', 'PermissionError', 'NotADirectoryError')"""
say = '''
Check that {% if path %}{{ path }}{% else %}the file{% endif %} is there and open to the job's user
{%- if hosts %} on {{ hosts | names }}{% else %} on every host{% endif %}.
'''
run = ["ls -l {{ path }}", "namei -l {{ path }}"]

[[step]]
when = "kind == 'config' and type in ('ModuleNotFoundError', 'ImportError')"
say = "Install the module in the environment that the job uses, on every host."
run = ["which python", "pip list"]
*/
with
    own_exception as (
        select
            *,
            -- its first sentence, where that says it: what another process printed into it follows
            regexp_extract(message, '^[^\n]{20,}\.(?:\n|$)') as sentence,
            class
            || '|'
            || regexp_replace(
                left(coalesce(nullif(trim(sentence, chr(10)), ''), message), 160),
                '[0-9]+|0x[0-9a-f]+',
                '#',
                'g'
            ) as alike,
            (
                select max(a.attempt)
                from job_attempt a
                where a.file_id = e.file_id and a.line_no <= e.line_no
            ) as attempt,
            -- it names whom another program could not reach just before, or a shell on its host
            exists (
                from connect_failure c
                where
                    c.file_id = e.file_id
                    and e.line_no - c.line_no between 0 and 100
                    and (c.failure is not null and e.line_no > c.line_no or c.source = 'ssh')
                    and contains(e.message, c.peer)
            ) as is_of_peer,
            stops_over_its_loss(kind, certain, lines_after, message) as is_of_loss
        from fatal_exception e
        where
            (
                kind in ('own', 'config', 'checkpoint', 'incompatible', 'writer', 'loss')
                or exists (
                    from untold_exception u where u.file_id = e.file_id and u.line_no = e.line_no
                )
            )
            -- of a loader that gave up speaks hang.dataloader
            and not loader_gave_up(message)
            -- torch's word for parameters that differ is also what an init that timed out leaves
            -- behind
            and not (
                contains(message, 'DDP expects same model across all ranks')
                and exists (from c10d_timeout_line)
            )
            -- what torch_npu raises where HCCL has told why
            and not (
                regexp_matches(message, 'Hccl[A-Z]|HCCL|hccl|ACL stream|NPU (?:function )?error')
                and exists (
                    from hccl_error
                    join hccl_code c using (hccl_code)
                    where
                        c.class
                        in ('meeting', 'collective', 'unreachable', 'transport', 'mismatch', 'peer')
                )
            )
    ),
    first_rank as (select distinct rank from "exit" where first_observed and rank is not null),
    rank_process as (
        select distinct pid from identity_link where rank is not null and pid is not null
    ),
    failure as (  -- alike on several ranks
        select
            alike,
            min_by(type, line_no) as type,
            any_value(thrown) as thrown,
            min_by(class, line_no) as class,
            -- the shortest of those alike: others may hold what was printed in between
            arg_min(message, (length(message), line_no)) as message,
            min_by(kind, line_no) as kind,
            min_by(file, line_no) filter (file is not null) as file,
            min_by(line, line_no) filter (file is not null) as line,
            min_by("function", line_no) filter (file is not null) as "function",
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            -- a controller quotes what the process of a rank raised
            coalesce(
                list(distinct pid order by pid) filter (pid in (from rank_process)),
                list(distinct pid order by pid) filter (pid is not null)
            ) as pids,
            list(distinct local_rank) filter (
                local_rank is not null and rank is null
            ) as local_ranks,
            list(distinct task) filter (task is not null and rank is null) as tasks,
            min(time) as started,
            max(attempt) as attempt,
            bool_or(certain) as certain,
            bool_or(kind = 'loss' or in_thread) as weak,
            bool_or(kind in ('gpu', 'collective')) as is_untold,
            min(file_id) as first_file,
            min(file_id * 100000000 + line_no) as place,
            bool_or(rank in (from first_rank)) as of_first_rank,
            bool_or(chain_uncaught) as uncaught,
            bool_or(is_of_peer) as is_of_peer,
            bool_and(is_of_loss) as is_of_loss,
            min(lines_after) as lines_after,
            count(*) as times,
            min_by(frames, line_no) filter (frames is not null) as frames,
            min_by(raised_frames, line_no) filter (raised_frames is not null) as raised_frames,
            arg_min(raised_class, (length(message), line_no)) as raised_class,
            arg_min(raised_message, (length(message), line_no)) as raised_message,
            list_concat(
                list(line_at(file_id, line_no) order by file_id, line_no)[:10],
                list(line_at(file_id, traceback_line) order by file_id, line_no) filter (
                    traceback_line is not null
                )[:3]
            ) as evidence
        from own_exception
        group by alike
    ),
    -- The one process that failed by itself raised the one exception that ended anything; what was
    -- caught others may have printed as well.
    placed_failure as (
        select
            *,
            case
                when
                    certain
                    and (select count(*) = 1 and count(rank) = 0 from fatal_exception where certain)
                then lone_process(first_file, hosts)
            end as process
        from failure
    ),
    ranked_failure as (
        select
            * replace (
                coalesce(ranks, process.ranks) as ranks,
                coalesce(hosts, process.hosts) as hosts,
                coalesce(pids, process.pids) as pids
            ),
            coalesce(own_frame(frames), own_frame(raised_frames)) as own_code,
            row_number() over (
                order by
                    attempt desc nulls last,
                    coalesce(of_first_rank, false) desc,
                    uncaught desc,
                    started nulls last,
                    place
            ) as n
        from placed_failure
    )
select
    evidence,
    started as at,
    -- where the error itself says of which rank it is
    coalesce(
        ranks,
        case
            when starts_with(message, 'Expected to have finished reduction in the prior iteration')
            then (select list(distinct rank order by rank) from ddp_unused having count(rank) > 0)
        end
    ) as ranks,
    hosts,
    case
        when n > 1 or not certain and exists (from stack_process)
        then 'info'
        when weak or not certain
        then 'warning'
    end as severity,
    case
        when not certain or weak then 'possible' when not uncaught or is_untold then 'probable'
    end as confidence,
    -- where such exceptions are all there is, the peer that could not be reached is the cause
    case
        when is_of_peer or exists (from connect_failure where source in ('exception', 'gloo'))
        then ['hang', 'network.peer_lost', 'loss.rollback']
    end as explains,
    coalesce(thrown, type) as type,
    case when thrown is not null then true end as of_cxx,
    left(message_in_line(message), 1000) as message,
    kind,
    nullif(regexp_extract(message, 'details = "([^"]+)"', 1), '') as details,
    nullif(regexp_extract(message, '(?:Errno [0-9]+\].*:|image file) ''([^'']+)''', 1), '') as path,
    case
        when
            kind = 'own'
            and (
                reads_damaged_data(class, message) or is_damaged_item(class, message, frames, null)
            )
        then true
    end as damaged_input,
    -- two that rename the same file
    case
        when class = 'FileNotFoundError' and contains(message, ''' -> ''') then true
    end as renamed,
    file,
    line,
    "function",
    pids,
    case when len(pids) = 1 then pids[1] end as pid,
    case when len(local_ranks) = 1 then local_ranks[1] end as local_rank,
    case when len(tasks) = 1 then tasks[1] end as task,
    times,
    (select max(world_size) from identity_link where world_size between 2 and 100000) as world_size,
    case
        when raised_class <> class or raised_message <> message then raised_class
    end as raised_type,
    case when raised_message <> message then left(raised_message, 500) end as raised_message,
    -- torch compares parameters before DistributedDataParallel takes them
    case
        when
            contains(message, 'to match sizes of the same param in process')
            or contains(message, 'to match strides of the same param in process')
            or contains(message, 'DDP expects same model across all ranks')
        then true
    end as other_model,
    case
        when starts_with(message, 'Expected to have finished reduction in the prior iteration')
        then true
    end as unused_in_backward,
    case
        when unused_in_backward
        then (select coalesce(any_value(parameters), any_value(indices)) from ddp_unused)
    end as unused_parameters,
    case
        when unused_in_backward
        then (select any_value(rank) from ddp_unused having count(distinct rank) = 1)
    end as unused_on,
    -- all that it says is how a program ended that this one started
    case
        when
            regexp_matches(
                message,
                '^[A-Z][A-Za-z]*(?: [A-Za-z0-9_.-]+){0,4} (?:exited|ended|terminated|failed) with'
                || ' (?:a )?(?:non-?zero )?(?:exit )?(?:status|code)[ :]*-?[1-9][0-9]*(?:\.|\n|$)'
            )
        then true
    end as of_child,
    -- what waited too long may come in time the next time
    case
        when
            regexp_matches(class, '(?i)time_?(?:d_?)?out')
            or regexp_matches(
                message,
                '(?i)\btimed[ -]out\b|\btime[- ]?out\((?:after )?[0-9.]+ ?m?s'
                || '|\btime[- ]?out (?:after|exceeded|expired|reached|of [0-9.]+ ?m?s)'
                || '|\bdeadline (?:has )?(?:exceeded|elapsed|expired)'
            )
        then true
    end as timed_out,
    -- raised where an optimizer updates a parameter, by what it keeps of it
    case
        when
            class in ('RuntimeError', 'ValueError', 'KeyError')
            and (
                class = 'KeyError'
                or regexp_matches(message, '(?i)\b(?:sizes?|shapes?|dimensions?)\b')
            )
            and is_update_of_optimizer(frames)
        then true
    end as of_optimizer,
    -- numbers of the configuration that do not go together
    case
        when
            class in ('ValueError', 'AssertionError', 'RuntimeError')
            and regexp_matches(
                message,
                '(?i)\b(?:micro_?-?batch(?:es)?|world_?[ -]?size|stages|batch[ _]size'
                || '|(?:tensor|data|pipeline|context|expert|sequence)[ _-](?:model[ _-])?parallel'
                || '|num_[a-z_]+|number of [a-z-]+)\b.{0,40}\b(?:must|should|has to|needs to) be '
                || '(?:evenly )?(?:divisible|greater|larger|less|smaller|at (?:least|most)'
                || '|a multiple|equal)'
            )
        then true
    end as of_settings,
    own_code,
    frame_file(own_code) as own_file,
    frame_line(own_code) as own_line
from ranked_failure
where not is_of_loss
