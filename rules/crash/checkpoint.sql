/*
title = "A checkpoint could not be read or written"
severity = "critical"
confidence = "probable"
status = "stable"
explains = [
  "crash.exception",
  "hang",
  "network.peer_lost",
  "network.connect_failure",
  "network.ib_error",
  "divergence.stack",
  "divergence.collective_count",
  "loss.rollback",
]
explains_same_place = ["crash.signal"]
about = """
Loading or saving a checkpoint failed: the file is truncated or corrupt, it is not there, or its
keys or shapes do not match the model.
"""
false_positives = "A program that tries to resume, fails and starts afresh."
references = ["https://docs.pytorch.org/docs/stable/notes/serialization.html"]
[[summary]]
when = "told"
say = '''
A checkpoint could not be read or written: {{ told | cut(200) }}
'''

[[summary]]
when = "cut_off"
say = '''
{% if ranks %}{{ ranks | ranks | capital }}{% else %}A process{% endif %} failed while it wrote a
checkpoint, in {{ function }} at {{ file }}:{{ line }}; the log ends within its traceback
'''

[[summary]]
say = '''
{% if path %}Checkpoint {{ path }}{% else %}A checkpoint{% endif %}
{% if problem == 'mismatch' %}does not fit the model
{%- elif problem == 'missing' %}was not found
{%- elif problem == 'damaged' %}is damaged or incomplete
{%- elif problem in ('unwritable', 'unwritten') %}could not be written
{%- else %}could not be read or written{% endif %}
{%- if ranks %} ({{ ranks | ranks }}){% endif %}: {{ message | cut(200) }}
'''

[[step]]
when = "cut_off"
say = '''
Look for the rest of the traceback in what the other ranks and the launcher wrote: its last line
says what failed.
'''

[[step]]
when = "problem == 'damaged'"
say = '''
Compare the size of {% if path %}{{ path }}{% else %}its files{% endif %} with that of an earlier
checkpoint: a file is too small if the job ended, or the disk was full, while it was written.
'''
run = ["ls -l {{ path }}", "unzip -tq {{ path }}"]

[[step]]
when = "problem == 'missing'"
say = '''
Check that {% if path %}{{ path }}{% else %}the checkpoint{% endif %} exists
{% if hosts %}on {{ hosts | names }}{% else %}on every host{% endif %}, is complete, and is where
the job's settings say.
'''
run = ["ls -l {{ path }}"]

[[step]]
when = "of_optimizer"
say = '''
Load the weights without the optimizer's state, or build its groups of parameters as they were when
it was saved: a part that was frozen, added or left out since makes them differ. The file itself can
be read.
'''

[[step]]
when = "is_flat"
say = '''
Save and load with the same sharding: one of the two shapes is flat, as FSDP keeps the parameters
that a rank shards together. Compare use_orig_params, the type of the state dict (full, local or
sharded) and the version of FSDP, or convert the checkpoint to a full state dict.
'''

[[step]]
when = "problem == 'mismatch' and not of_optimizer"
say = '''
Start with the settings that the checkpoint was saved with (layers, hidden size, vocabulary,
tensor and pipeline parallel sizes, tied weights), or convert it to the new ones: the message lists
the keys and shapes that differ.
'''

[[step]]
when = "problem == 'unwritable'"
say = '''
Check that the folder of {{ path or 'the checkpoint' }} exists
{%- if hosts %} on {{ hosts | names }}{% endif %}, that the job may write to it, and that its file
system has room: the message is the same for all three.
'''
run = ["ls -ld {{ folder }}", "df -h {{ folder }}", "df -i {{ folder }}"]

[[step]]
when = "problem == 'unwritten'"
say = '''
Look whether space, inodes or a quota ran out where the checkpoint is written, the usual reason, and
whether the file system had errors{% if hosts %} on {{ hosts | names }}{% endif %}: the writer knows
that a write was short, not why.
'''
run = [
  "df -h {{ folder or '.' }}",
  "df -i {{ folder or '.' }}",
  "quota -s",
  "dmesg -T | grep -iE 'i/o error|ext4|xfs|nfs|lustre' | tail",
]

[[step]]
when = "problem is none and not cut_off"
say = '''
Check that {% if path %}{{ path }}{% else %}the checkpoint{% endif %} is readable and complete
{%- if hosts %} on {{ hosts | names }}{% endif %}, and that its file system has room.
'''
run = ["ls -l {{ path }}", "df -h {{ folder or path }}"]

[[step]]
when = "problem != 'mismatch'"
say = '''
Keep the last two checkpoints on local disks: the newest may be the one that was being written.
Resume from the last checkpoint that loads; try it with torch.load(…, map_location='cpu') in one
process before you start the whole job.
'''
*/
with
    failed_load as (
        select
            *,
            left(class || ': ' || message_in_line(message), 1000) as text,
            regexp_matches(frames::varchar, ' in (?:async_|_)?save') as is_saved,
            -- one rank tells of all that failed
            try_cast(
                nullif(
                    regexp_extract(
                        message, 'CheckpointException ranks:dict_keys\((\[[0-9, ]+\])', 1
                    ),
                    ''
                ) as bigint[]
            ) as listed_ranks,
            coalesce(
                nullif(
                    regexp_extract(
                        message,
                        '^(?:File|Parent directory|Destination) ''?([^ '']*[^ ''.:])[''.:]* '
                        || '(?:cannot be opened|does not exist|already exists)',
                        1
                    ),
                    ''
                ),
                -- TensorStore names each array; the checkpoint is the folder of them all
                nullif(
                    rtrim(
                        regexp_extract(
                            message,
                            ' in OCDBT database at (?:[a-z ]+"|")?((?:[a-z0-9]+:/)?/[^" ]+)',
                            1
                        ),
                        '/'
                    ),
                    ''
                ),
                nullif(
                    regexp_extract(
                        message,
                        'Error opening "[a-z0-9]+" driver: .*? at (?:[a-z ]+"|")?'
                        || '((?:[a-z0-9]+:/)?/[^" ]+)/[^/" ]+"',
                        1
                    ),
                    ''
                ),
                nullif(
                    regexp_extract(
                        message,
                        '[''"]((?:/|\./)?[^''" ]+\.'
                        || '(?:pt|pth|ckpt|bin|safetensors|distcp|zip|pkl|npz))[''"]',
                        1
                    ),
                    ''
                ),
                nullif(
                    regexp_extract(
                        message,
                        '((?:[a-z0-9]+:/)?[^ :,''"(=\[]*/[^ :,''"]*'
                        || '(?:ckpt|checkpoint|global_step)[^ :,''"]*'
                        || '|[^ :,''"(=\[/]*(?:ckpt|checkpoint|global_step)[^ :,''"/]*'
                        || '/[^ :,''"]+)',
                        1
                    ),
                    ''
                )
            ) as checkpoint_path,
            -- what it had just said to be loading or saving, where the error names nothing
            (
                select max_by(path_loaded(m.message), m.line_no)
                from training_mark m
                where
                    m.kind in ('load', 'resume', 'weights', 'save')
                    and (m.kind = 'save') = coalesce(is_saved, false)
                    and m.file_id = e.file_id
                    and m.rank is not distinct from e.rank
                    and coalesce(e.traceback_line, e.line_no) - m.line_no between 1 and 20
                    and path_loaded(m.message) <> ''
            ) as announced_path
        from fatal_exception e
        -- or what ends the log
        where
            kind = 'checkpoint'
            and (
                certain
                or lines_after <= 2
                -- below it stands what each of the other ranks found
                or starts_with(message, 'Size mismatch between saved ')
            )
    ),
    failure as (
        select
            min_by(text, line_no) as message,
            min_by(type, line_no) as type,
            coalesce(any_value(checkpoint_path), any_value(announced_path)) as path,
            any_value(file) as file,
            any_value(line) as line,
            coalesce(
                any_value(listed_ranks), list(distinct rank order by rank) filter (rank is not null)
            ) as ranks,
            list(distinct host) filter (host is not null) as hosts,
            bool_or(certain) as certain,
            coalesce(bool_or(is_saved), false) as is_saved,
            min(time) as started,
            list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
            min(file_id * 100000000 + line_no) as place
        from failed_load
        group by regexp_replace(left(text, 80), '[0-9]+', '#', 'g')
    )
select
    evidence,
    started as "at",
    ranks,
    hosts,
    case when not certain then 'possible' end as confidence,
    path,
    nullif(regexp_extract(path, '^(.+)/[^/]+$', 1), '') as folder,
    case
        when
            is_saved
            and regexp_matches(
                message, ': File \S+ cannot be opened|: Parent directory \S+ does not'
            )
        then 'unwritable'
        when
            regexp_matches(
                message,
                'loading state_dict|[Ss]ize mismatch|missing keys?|not found in (the )?checkpoint'
                || '|match the size of optimizer|different number of parameter groups'
                || '|used a DP world size|tree structures do not match'
            )
        then 'mismatch'
        when
            regexp_matches(
                message,
                '(?i)PytorchStreamReader|central directory|invalid load key|ran out of input'
                || '|truncated|unpickling|deserializ|InvalidHeader|MetadataIncompleteBuffer'
                || '|corrupt|incomplete|not a zip|unexpected end|hash mismatch'
                || '|checksum|EOFError|DATA_LOSS|BadZipFile|wrong (?:byte )?size'
                || '|not an sstable|bad magic|file signature|bad object header'
            )
        then 'damaged'
        when
            not is_saved
            and regexp_matches(
                message, '(?i)not found|no such file|does not exist|can''t find a valid|missing'
            )
        then 'missing'
    end as problem,
    nullif(
        regexp_matches(message, 'size of optimizer|number of parameter groups'), false
    ) as of_optimizer,
    -- what is saved has several dimensions and what waits for it one, or the other way round
    nullif(
        regexp_matches(
            message,
            'saved torch\.Size\(\[[0-9]+, [0-9, ]+\]\) and current: torch\.Size\(\[[0-9]+\]\)'
            || '|saved torch\.Size\(\[[0-9]+\]\) and current: torch\.Size\(\[[0-9]+, '
        ),
        false
    ) as is_flat,
    message,
    type,
    file,
    line
from failure
qualify row_number() over (order by place) = 1
union all by name
-- the writer knows that a write was short, not why
select
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence,
    min(time) as "at",
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    case when not exists (from trouble_sign) then 'possible' end as confidence,
    any_value(path_written) as path,
    nullif(regexp_extract(any_value(path_written), '^(.+)/[^/]+$', 1), '') as folder,
    'unwritten' as problem,
    arg_max(left(message, 1000), line_no) as message
from
    (
        select
            *,
            coalesce(
                path,
                (
                    select max_by(path_loaded(m.message), m.line_no)
                    from training_mark m
                    where
                        m.kind = 'save'
                        and m.file_id = d.file_id
                        and m.rank is not distinct from d.rank
                        and d.line_no - m.line_no between 1 and 20
                        and path_loaded(m.message) <> ''
                )
            ) as path_written
        from disk_full d
    )
where not exists (from failure)
having not bool_or(is_of_room)
union all by name
-- how it failed is not in the log any more
select
    [line_at(file_id, traceback_line), line_at(file_id, line_no)] as evidence,
    time as "at",
    case when rank is not null then [rank] end as ranks,
    case when host is not null then [host] end as hosts,
    'possible' as confidence,
    file,
    line,
    "function",
    true as cut_off
from cut_traceback
where of_save and not exists (from fatal_exception)
qualify row_number() over (order by time nulls last, file_id) = 1
union all by name
-- in words that no grammar knows
select evidence, "at", path, message, explains, told, confidence, otherwise
from told_cause
where what = 'checkpoint'
