-- table: One row per line that nobody read, or exception of a collective, that may tell of trouble
-- between the ranks: only where no known source tells of any. source: line | exception; words:
-- where names and numbers are looked for; sentence: what is judged.
with
    known as (
        select 1
        where
            exists (from communication_known)
            or exists (
                from library_failure
                where "class" not in ('none', 'usage', 'memory', 'busy', 'echo')
            )
            or exists (from communication_failure)
            or exists (from nccl_warning)
            or exists (from nccl_ib_error)
            or exists (from nccl_ofi_error)
            or exists (from nccl_result)
            or exists (from ucx_connection)
            or exists (from ucx_completion)
            or exists (from flight_entry)
            or exists (from oom_event)
            or exists (from limit_reached)
            or exists (from disk_full)
            or exists (from oom_kill)
            or exists (from cuda_error)
            or exists (from accelerator_event)
            or exists (from scheduler_action)
            or exists (from ended_from_outside)
            or exists (from launcher_event where event in ('connect_failed', 'peer_hung_up'))
    )
select
    'line' as source,
    text,
    prefix,
    word,
    rank,
    host,
    time,
    file_id,
    line_no,
    lines_to_end,
    sentence,
    text as words
from plain_line
where
    word is not null
    and uptime_seconds is null
    and not is_word_of_kernel(prefix, text)
    -- systemd, of its units
    and not regexp_matches(
        text, '(?:^|systemd\[[0-9]+\]: )(?:Failed to start [A-Z].*\.|[^ ]+\.service: .*)$'
    )
    -- the tools of a build, which has no ranks
    and not regexp_matches(
        text,
        '^(?:configure|config\.status|auto(?:reconf|conf|make|header|point)|aclocal|libtoolize'
        || '|c?make(?:\[[0-9]+\])?|ninja|collect2|ld)(?:: |$)'
    )
    and not exists (from known)
union all by name
select
    'exception' as source,
    type || ': ' || message as text,
    'fatal' as word,
    rank,
    host,
    time,
    file_id,
    line_no,
    lines_after as lines_to_end,
    told_sentence(exception_text(class, message)) as sentence,
    regexp_replace(class, '([a-z])([A-Z])', '\1 \2', 'g') || ': ' || message as words
from fatal_exception
where (certain or lines_after <= 5) and kind = 'collective' and not exists (from known)
