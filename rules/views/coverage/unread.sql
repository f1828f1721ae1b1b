-- view: One row per template of lines with words of trouble that no grammar read, the worst and
-- rarest first: how many lines (of a file with very many only the first and the last are looked
-- at), how many files, ranks and hosts print them, and the first of them. Without what is part
-- of something that was read.
select
    line_template(text) as template,
    max(word) as word,
    count(*) as lines,
    count(distinct file_id) as files,
    count(distinct rank) as ranks,
    count(distinct host) as hosts,
    arg_min(text, (file_id, line_no)) as text,
    min(file_id) as file_id,
    arg_min(line_no, (file_id, line_no)) as line_no
from unread_line
anti join unread_within using (file_id, line_no)
group by template
