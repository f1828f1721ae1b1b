-- table: One row per sense of a plain_phrase, whose words are stems: their forms count alike.
select
    array_to_string(
        list_transform(
            string_split(phrase, ' '),
            lambda word: case when word = upper(word) then word else word_stem(word) end
        ),
        ' '
    ) as phrase,
    unnest(string_split(senses, ' ')) as sense
from plain_phrase
