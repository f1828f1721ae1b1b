-- table: One row per sentence that is judged by its words: of lines that no grammar knows, and of
-- exceptions.
select sentence
from plain_line
union
select told_sentence(exception_text(class, message)) as sentence
from exception
