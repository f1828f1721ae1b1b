-- table: One row per record broken by a terminal, a collector or a launcher, anywhere, also within
-- a word: the pieces that follow their first line without a gap, put together without blanks.
-- Where two ranks' first lines follow each other, nobody can tell whose the pieces are.
with
    -- What an exception says of a timeout may be behind the end of a line that names the rank, or
    -- behind nothing at all: then it is alone.
    piece as (
        select
            *,
            not head
            and regexp_matches(
                text, '^[0-9]*\]? *Watchdog caught collective operation timeout: WorkNCCL\('
            )
            and not coalesce(
                lag(line_no) over (partition by file_id order by line_no) = line_no - 1, false
            ) as alone
        from c10d_piece
    ),
    named_piece as (
        select
            p.* replace (
                coalesce(p.rank, e.rank) as rank,
                case
                    when p.alone and regexp_matches(p.text, '^[0-9]+\]')
                    then '[Rank ' || p.text
                    when p.alone
                    then
                        coalesce(regexp_extract(e.error, '^\[Rank [0-9]+', 0) || ']', '')
                        || ltrim(p.text, '] ')
                    else p.text
                end as text,
                p.head or p.alone as head
            )
        from piece p
        left join
            c10d_event e
            on p.alone
            and e.event = 'watchdog_ended'
            and e.file_id = p.file_id
            and e.line_no = p.line_no - 1
            and regexp_matches(e.error, '^\[Rank [0-9]+\]?$')
    ),
    of_head as (
        select
            *,
            max(case when head then line_no end) over (
                partition by file_id order by line_no
            ) as first_line
        from named_piece
        window w as (partition by file_id order by line_no)
        qualify
            not (head and coalesce(lag(head) over w and lag(line_no) over w >= line_no - 1, false))
    ),
    unbroken as (
        select *
        from of_head
        where first_line is not null
        qualify
            line_no - first_line
            = row_number() over (partition by file_id, first_line order by line_no) - 1
    )
select
    file_id,
    first_line as line_no,
    arg_min(host, line_no) as host,
    arg_min(rank, line_no) as rank,
    arg_min(local_rank, line_no) as local_rank,
    arg_min(task, line_no) as task,
    arg_min(pid, line_no) as pid,
    arg_min(stream, line_no) as stream,
    arg_min(time, line_no) as time,
    arg_min(time_quality, line_no) as time_quality,
    regexp_replace(string_agg(text, '' order by line_no), '\s+', '', 'g') as text
from unbroken
group by file_id, first_line
