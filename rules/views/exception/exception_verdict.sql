-- table: One row per chain of exceptions: the one that began it. kind = own | config | checkpoint |
-- incompatible | writer | disk | limit | memory | gpu | collective | loss | echo | interrupt;
-- uncaught = it reached the top of the program, chain_uncaught = one of the chain did;
-- in_thread = it ended a thread only; warned = it was logged as a warning, and what it misses can
-- be done without; raised_class, raised_message, raised_frames and raised_line are of the last of
-- the chain; steps_after = training steps logged after it; lines_after = lines of its file after
-- it; job_failed = a launcher, or who owned the process, says that the job failed.
with
    raised as (
        select
            e.*,
            t.concept,
            exists (
                from traceback_warned w
                where
                    w.file_id = e.file_id
                    and w.line_no = e.traceback_line
                    and w.warning_line = w.line_no - 1
            ) as is_warned,
            case
                -- of a connection, whose other end is gone, as well as of a file: what was
                -- being done tells
                when
                    e.class = 'EOFError'
                    and message = ''
                    and frames is not null
                    and not regexp_matches(
                        frames::varchar, '(?i)load|pickle|serializ|checkpoint|ckpt'
                    )
                then 'echo'
                -- torchrun's agent, of its workers: the line below its last frame may be cut
                when
                    regexp_matches(
                        frames[-1], 'torch/distributed/launcher/api\.py:[0-9]+ in launch_agent$'
                    )
                then 'echo'
                -- who waits for a service's job tells how that ended, on further lines
                when regexp_full_match(message, '(?:Job|Training|Pipeline) failed with:\s*')
                then 'echo'
                -- a place that a checkpoint cannot be written to
                when
                    e.class in ('FileNotFoundError', 'PermissionError', 'NotADirectoryError')
                    and regexp_matches(
                        frames::varchar,
                        '(?i)in (?:async_|_)?save_(?:checkpoint|model|state|pretrained|weights)\b'
                        || '|checkpoint[a-z_/]*\.py:[0-9]+ in (?:async_|_)?save\b'
                        || '|torch/serialization\.py:[0-9]+ in save\b'
                    )
                then 'checkpoint'
                -- a file that torch cannot read through: the system's word for it, or none, differs
                when
                    e.class in ('OSError', 'EOFError')
                    and regexp_matches(frames[-1], 'torch/serialization\.py:[0-9]+ in ')
                    and regexp_matches(frames::varchar, 'torch/serialization\.py:[0-9]+ in load\b')
                then 'checkpoint'
                -- an answer that broke off, for whatever reason
                when e.class = 'ChunkedEncodingError'
                then 'own'
                -- a client of a service outside, not one of another process of the job
                when
                    starts_with(e.type, 'httpx.')
                    and regexp_matches(frames::varchar, 'huggingface_hub[/\\]')
                then 'own'
                -- an array that Orbax, T5X or flax keeps with TensorStore; one of Levanter's
                -- cache of tokens is no checkpoint
                when
                    regexp_matches(message, 'Error opening "(?:zarr3?|cast|ocdbt)" driver: ')
                    and not regexp_matches(
                        coalesce(frames::varchar, '') || message,
                        '(?i)levanter/(?:store|data)/|flashbax/|jagged_array|input_ids'
                    )
                    or e.class in ('ValueError', 'KeyError')
                    and regexp_matches(frames[-1], '/orbax/checkpoint/')
                then 'checkpoint'
                -- an output of the model that is no number, as the rows below the message show
                when
                    ends_with(e.message, 'found invalid values:')
                    and exists (
                        from training_mark m
                        where
                            m.kind = 'nan_tensor'
                            and m.file_id = e.file_id
                            and m.line_no between e.line_no + 1 and e.line_no + 12
                    )
                then 'loss'
                -- probabilities of a model's output from which nothing can be drawn
                when starts_with(e.message, 'probability tensor contains either')
                then 'loss'
                -- input() where nobody types
                when e.class = 'EOFError' and contains(message, 'EOF when reading a line')
                then 'own'
                -- a program's own helper, not a launcher that tells of what it started
                when
                    e.class = 'CalledProcessError'
                    and (e.rank is not null or exception_module_level(frames))
                    and ran_a_helper(message)
                then 'own'
                -- settings that the function which reads them refuses
                when
                    e.class in ('ValueError', 'KeyError', 'AssertionError', 'AttributeError')
                    and c.kind is null
                    and reads_settings(frames)
                then 'config'
                -- the socket of a data loader's worker that is gone
                when
                    e.class in (
                        'FileNotFoundError',
                        'ConnectionRefusedError',
                        'ConnectionResetError',
                        'BrokenPipeError',
                        'EOFError'
                    )
                    and regexp_matches(frames::varchar, 'multiprocessing[^a-z]+resource_sharer\.py')
                then 'echo'
                -- memory that processes share, which its owner took away: no setting names it
                when
                    e.class = 'FileNotFoundError'
                    and regexp_matches(frames[-1], 'multiprocessing[^a-z]+shared_memory\.py')
                then 'own'
                -- a new process gets nothing to begin with: its parent failed to send it
                when
                    e.class in ('EOFError', 'UnpicklingError')
                    and regexp_matches(frames[-1], 'multiprocessing[^a-z]+(?:spawn|forkserver)\.py')
                then 'echo'
                -- what a data loader reads is no checkpoint, however it was packed
                when
                    is_damaged_item(
                        e.class,
                        message,
                        frames,
                        -- as its loader raised it, right above it
                        case
                            when e.traceback_line - lag(e.line_no) over in_file between 0 and 3
                            then lag(message) over in_file
                        end
                    )
                then 'own'
                else c.kind
            end as class_kind,
            -- C++'s are printed by the handler of what nobody caught, Julia's where a script ends
            -- of them; the first of a group below it
            exception_module_level(frames)
            or e.class in ('C++ exception', 'ErrorException')
            -- or of the call of Monarch's actor
            or coalesce(
                lag(e.class in ('ExceptionGroup', 'BaseExceptionGroup', 'ActorError')) over in_file
                and lag(exception_module_level(frames)) over in_file
                and e.traceback_line - lag(e.line_no) over in_file between 1 and 4,
                false
            ) as uncaught
        from exception e
        left join exception_class c using (class)
        left join
            told_concept t
            on t.subject = 'ranks'
            and t.is_first
            and t.sentence = told_sentence(exception_text(e.class, message))
        where coalesce(chained, '') <> 'ignored'
        window in_file as (partition by file_id, e.stream order by e.line_no)
    ),
    link as (
        select
            * exclude (concept, class_kind, is_warned),
            case
                when is_exit_barrier(frames)
                then 'ignored'
                -- what a worker raised is known by its class, where the log ends before the rest
                when
                    regexp_matches(message, '^Caught [A-Za-z.]+ in (?:DataLoader|pin memory)')
                    and not exists (
                        from exception o
                        where
                            o.file_id = raised.file_id
                            and o.traceback_line - raised.line_no between 1 and 3
                    )
                then 'own'
                else exception_kind(class, class_kind, message, chained, concept)
            end as kind,
            last_value(class) over in_order as raised_class,
            last_value(message) over in_order as raised_message,
            last_value(frames) over in_order as raised_frames,
            last_value(line_no) over in_order as raised_line,
            bool_or(uncaught) over chain as chain_uncaught,
            coalesce(bool_or(chained = 'thread') over chain, false) as in_thread,
            bool_or(is_warned) over chain as below_warning,
            -- the miss of a look-up, which the error that follows explains better
            count(*) over chain > 1
            and not final
            and class in (
                'Empty',
                'KeyError',
                'StopIteration',
                'AttributeError',
                'IndexError',
                'ImportError',
                'ModuleNotFoundError',
                'Full',
                'BlockingIOError',
                'TimeoutError'
            ) as is_missed_lookup
        from raised
        window
            chain as (partition by file_id, stream, chain_line),
            in_order as (
                partition by file_id, stream, chain_line
                order by line_no
                rows between unbounded preceding and unbounded following
            )
    ),
    beginning as (
        select * exclude (is_missed_lookup)
        from link
        qualify
            row_number() over (
                partition by file_id, stream, chain_line
                order by
                    case
                        -- nothing came: of whom it was expected the next one tells
                        when is_missed_lookup and class in ('Empty', 'Full')
                        then 3
                        when is_missed_lookup
                        then 1
                        when kind = 'echo'
                        then 2
                        else 0
                    end,
                    line_no
            )
            = 1
    ),
    training_after as (
        select b.file_id, b.line_no, count(distinct m.step) as steps_after
        from beginning b
        join
            metric m
            on m.file_id = b.file_id
            and m.line_no > b.raised_line
            and (m.rank is null or b.rank is null or m.rank = b.rank)
        group by all
    ),
    job as (
        select
            exists (
                from "exit"
                where
                    (exitcode > 0 and exitcode < 128)
                    or (exitcode is null and signal is null and signal_name is null)
            )
            or exists (
                from exception
                where
                    class in (
                        'ChildFailedError',
                        'CalledProcessError',
                        -- of a notebook that is run as a program
                        'CellExecutionError',
                        'WorkerGroupError',
                        'SupervisionError'
                    )
            ) as failed
    ),
    followed as (
        select
            b.*,
            coalesce(a.steps_after, 0) as steps_after,
            -- the log ends within what was raised of it
            case when t.file_id is not null then 0 else f.lines - b.raised_line end as lines_after,
            job.failed as job_failed,
            f.path,
            -- a program that an exception ended would print no more; the line before it may be
            -- anybody's
            b.below_warning
            and (b.kind = 'incompatible' or b.class in ('ImportError', 'ModuleNotFoundError'))
            and not job.failed
            and f.lines > b.raised_line
            and t.file_id is null as warned
        from beginning b
        join file f using (file_id)
        cross join job
        left join
            cut_traceback t
            on t.file_id = b.file_id
            and t.traceback_line - b.raised_line between 1 and 6
            and exists (
                from traceback_chain c
                where
                    c.file_id = b.file_id
                    and c.how in ('during', 'cause')
                    and c.line_no between b.raised_line + 1 and t.traceback_line
            )
        left join training_after a on a.file_id = b.file_id and a.line_no = b.line_no
    )
select * exclude (below_warning) replace (chain_uncaught and not warned as chain_uncaught)
from followed
