-- What was found, the root first, and what explains what.
select
    id,
    rule,
    severity,
    confidence,
    root,
    explained_by,
    -- global ranks and hosts it happened to
    ranks,
    hosts,
    first,
    summary
from incident
order by id
