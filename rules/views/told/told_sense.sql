-- table: One row per sense of a phrase in a plain_sentence: position and length in its words.
-- Phrases of plain_phrase count in any form of their words.
with
    sentence as (select sentence, plain_words(sentence) as words from plain_sentence),
    place as (select *, unnest(range(1, len(words) + 1)) as position from sentence),
    piece as (
        select
            sentence,
            position,
            length,
            array_to_string(words[position:position + length - 1], ' ') as phrase
        from place, range(1, 5) l(length)
        where position + length - 1 <= len(words)
    ),
    found as (select sentence, position, length, sense from piece join phrase_sense using (phrase))
select f.*
from found f
join sentence using (sentence)
where
    sense <> '-'
    -- a phrase that means nothing hides its words
    and not exists (
        from found longer
        where
            longer.sense = '-'
            and longer.sentence = f.sentence
            and longer.length > f.length
            and f.position between longer.position and longer.position + longer.length - 1
    )
    -- what did not happen
    and not (
        length = 1
        and sense in (
            'lost',
            'ended',
            'killed',
            'person_end',
            'over',
            'spent',
            'full',
            'preempt',
            'wrecked',
            'absent',
            'damaged',
            'gone',
            'broken',
            'fault',
            'late'
        )
        and list_has_any(
            words[greatest(position - 3, 1):position - 1], ['no', 'not', 'never', 'non', 'without']
        )
    )
