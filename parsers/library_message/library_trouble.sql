-- table: One row per message of a communication library that no pattern of its own reads: what it
-- is about (class, see trouble_class; empty where no piece of it is known), and what it names:
-- peer, peer_rank, path, device, bytes, error.
with
    message as (
        select
            'nccl' as library,
            source,
            message,
            host,
            pid,
            rank,
            device_hint,
            stream,
            time,
            file_id,
            line_no
        from nccl_warning
        union all by name
        select library, source, message, fatal, host, pid, rank, stream, time, file_id, line_no
        from library_message
        union all by name
        select
            'nccl' as library,
            last_error as message,
            host,
            pid,
            rank,
            stream,
            time,
            file_id,
            line_no
        from c10d_nccl_error_detail
        where nth = 1
    ),
    spelled as (
        select
            *,
            message_words(
                concat_ws(
                    ' ', library, regexp_extract(source, '(?:[^/]+/)?[^/]+$'), left(message, 400)
                )
            ) as spelling
        from message
    ),
    wording as (select distinct spelling from spelled),
    classed as (
        select
            w.spelling,
            arg_max(c.class, (c.class <> 'internal', length(c.fragment), c.fragment)) as class
        from wording w
        join
            trouble_class c
            on contains(
                w.spelling || ' ',
                message_words(c.fragment) || case when length(c.fragment) <= 4 then ' ' else '' end
            )
        group by w.spelling
    )
select
    s.library,
    s.source,
    s.message,
    s.fatal,
    c.class,
    message_peer(s.message) as peer,
    nullif(message_peer_rank(s.message), s.rank) as peer_rank,
    message_path(s.message) as path,
    message_device(s.message) as device,
    message_bytes(s.message) as bytes,
    message_reason(s.message) as error,
    s.host,
    s.pid,
    s.rank,
    s.device_hint,
    s.stream,
    s.time,
    s.file_id,
    s.line_no
from spelled s
left join classed c using (spelling)
