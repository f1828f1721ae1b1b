-- table: One row per sense that may meet a need of a plain_concept: index: which need; needed: how
-- many there are.
with
    need as (
        select
            place,
            within,
            len(string_split(needs, ' ')) as needed,
            unnest(string_split(needs, ' ')) as any_of,
            generate_subscripts(string_split(needs, ' '), 1) as index
        from plain_concept
    )
select place, within, needed, index, unnest(string_split(any_of, '/')) as sense
from need
