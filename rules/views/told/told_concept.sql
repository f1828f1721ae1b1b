-- table: One row per plain_sentence and what it tells of (plain_concept) by the senses of its
-- words, where none of them takes it back. is_first: of all that it tells of this subject, what
-- counts.
with
    met as (
        select anchor.sentence, n.place, anchor.position
        from concept_need start
        join told_sense anchor on anchor.sense = start.sense
        join concept_need n using (place)
        join
            told_sense other
            on other.sentence = anchor.sentence
            and other.sense = n.sense
            and abs(other.position - anchor.position) <= n.within
        where start.index = 1
        group by anchor.sentence, n.place, anchor.position
        having count(distinct n.index) = any_value(n.needed)
    )
select
    sentence,
    subject,
    concept,
    min(place) as place,
    min(place) = min(min(place)) over (partition by sentence, subject) as is_first
from met m
join plain_concept c using (place)
where
    not exists (
        from told_sense t
        where
            t.sentence = m.sentence
            and (
                t.sense in ('harmless', 'supposed')
                or t.sense = 'retried'
                and t.sentence not in (select sentence from retried_in_vain)
                or list_contains(string_split(c.unless, ' '), t.sense)
            )
    )
group by sentence, subject, concept
