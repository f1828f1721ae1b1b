-- table: One row per file: `otherwise` names the machine of its lines that tell no host, which is
-- the only host that kernel lines name, else the folder of the file.
with
    hosts as (
        select distinct host
        from
            (
                select host
                from xid_line
                union all
                select host
                from nvrm_event
                union all
                select host
                from sxid_line
            )
        where host is not null
    )
select
    f.file_id,
    coalesce(
        (select case when count(*) = 1 then max(host) end from hosts),
        'in ' || regexp_extract(f.path, '^(.*?)[^/]*$', 1)
    ) as otherwise
from file f
