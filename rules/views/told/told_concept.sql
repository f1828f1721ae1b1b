-- table: One row per sentence of told_line that tells of a failure: of which (plain_concept), by
-- the senses of its words, where none of them takes it back.
-- only with told_sense
with
    need as (
        select place, concept, within, needed, index, unnest(string_split(any_of, '/')) as sense
        from
            (
                select
                    * exclude (needs),
                    len(string_split(needs, ' ')) as needed,
                    unnest(string_split(needs, ' ')) as any_of,
                    generate_subscripts(string_split(needs, ' '), 1) as index
                from plain_concept
            )
    ),
    met as (
        select anchor.sentence, n.place, n.concept, anchor.position
        from need start
        join told_sense anchor on anchor.sense = start.sense
        join need n using (place)
        join
            told_sense other
            on other.sentence = anchor.sentence
            and other.sense = n.sense
            and abs(other.position - anchor.position) <= n.within
        where start.index = 1
        group by anchor.sentence, n.place, n.concept, anchor.position
        having count(distinct n.index) = any_value(n.needed)
    )
select sentence, arg_min(m.concept, place) as concept
from met m
join plain_concept c using (place)
where
    not exists (
        from told_sense t
        where
            t.sentence = m.sentence
            and (
                t.sense in ('harmless', 'supposed')
                or list_contains(string_split(c.unless, ' '), t.sense)
            )
    )
group by sentence
