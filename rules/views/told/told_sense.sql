-- table: One row per sense of a phrase in the sentence of a told_line: position and length in its
-- words. Phrases of plain_phrase count in any form of their words.
-- only with told_line
with
    sentence as (select distinct sentence, plain_words(sentence) as words from told_line),
    place as (select sentence, words, unnest(range(1, len(words) + 1)) as position from sentence),
    phrase as (
        select
            array_to_string(
                list_transform(
                    string_split(phrase, ' '),
                    lambda word: case when word = upper(word) then word else word_stem(word) end
                ),
                ' '
            ) as phrase,
            len(string_split(phrase, ' ')) as length,
            unnest(string_split(senses, ' ')) as sense
        from plain_phrase
    ),
    found as (
        select distinct sentence, position, length, sense, words
        from place, range(1, 5) l(length)
        join phrase using (length)
        where phrase.phrase = array_to_string(words[position:position + length - 1], ' ')
    )
select sentence, position, length, sense
from found f
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
            'damaged'
        )
        and list_has_any(
            words[greatest(position - 3, 1):position - 1], ['no', 'not', 'never', 'non', 'without']
        )
    )
