/*
title = "Versions and settings of the ranks"
severity = "info"
confidence = "probable"
status = "stable"
about = "The version of NCCL and the communicators that the log tells of, for the reader."
false_positives = "It is context only."
references = []
summary = '''
NCCL {{ nccl_version }}
{%- if communicators %}; {{ communicators | count('communicator') }}
{%- if nranks %}{% if communicators > 1 %}, the largest{% endif %} of {{ nranks | count('rank') }}
{%- endif %}{% endif %}'''
*/
with
    library as (
        select
            list(distinct split_part(value, '+', 1)) as versions,
            list(line_at(file_id, line_no))[:3] as places
        from setting
        where name in ('NCCL', 'RCCL')
        having count(*) > 0
    ),
    size as (select count(*) as communicators, max(nranks) as nranks from communicator)
select
    l.places as evidence,
    (select list(distinct host order by host) filter (host <> '') from nccl_rank) as hosts,
    array_to_string(l.versions, ', ') as nccl_version,
    s.nranks,
    nullif(s.communicators, 0) as communicators
from library l
cross join size s
