-- table: One row per pair of sizes of a message that NCCL received in another length than it
-- expected, one for the ranks around which NCCL itself suspects a mismatch, and one for the ranks
-- that HCCL says it of, and one for each that Horovod refuses.
select
    'nccl message size' as source,
    'size' as field,
    [local_bytes::varchar, remote_bytes::varchar] as "values",
    local_bytes as expected_bytes,
    remote_bytes as received_bytes,
    min(peer) as peer,
    list(distinct host) filter (host is not null) as hosts,
    'probable' as grade,
    min(time) as time,
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence
from nccl_size_mismatch
group by local_bytes, remote_bytes
union all by name
select
    'nccl' as source,
    list(distinct rank_a order by rank_a)::bigint[] as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'possible' as grade,
    min(time) as time,
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence
from nccl_usage
where event = 'collective_mismatch'
having count(*) > 0
union all by name
select
    'hccl' as source,
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'probable' as grade,
    min(time) as time,
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence
from hccl_error
join hccl_code c using (hccl_code)
where c.class = 'mismatch'
having count(*) > 0
union all by name
select
    'horovod' as source,
    case
        when contains(message, ' data types')
        then 'dtype'
        when contains(message, ' root ranks')
        then 'root'
        when contains(message, ' operations')
        then 'op'
        else 'size'
    end as field,
    nullif(list_distinct(regexp_extract_all(message, '\[[0-9, ]*\]')), []) as "values",
    list(distinct rank order by rank) filter (rank is not null) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    'probable' as grade,
    min(time) as time,
    list(line_at(file_id, line_no) order by file_id, line_no)[:10] as evidence
from exception
where class = 'HorovodInternalError' and starts_with(message, 'Mismatched ')
group by message
union all by name
select
    'told' as source,
    case
        when
            regexp_matches(
                text, '(?i)\b(?:shapes?|sizes?|counts?|elements?|numel|rows' || '|splits?)\b'
            )
        then 'size'
        when regexp_matches(text, '(?i)\bdtypes?\b')
        then 'dtype'
    end as field,
    printed_ranks(
        array_to_string(
            regexp_extract_all(text, '(?i)\branks?[ =:#\[(]*[0-9]+(?:(?:, | and |-)[0-9]+)*'), ' '
        )
    ) as ranks,
    [host] as hosts,
    seq,
    text as message,
    'probable' as grade,
    time,
    [line_at(file_id, line_no)] as evidence
from communication_told
where kind = 'mismatch'
