-- table: One row per line that no grammar knows and that may tell of trouble, or of an end.
-- sentence: what of its message is judged by its words; lines_to_end: how many lines follow it in
-- its file. Of very many those nearest to the ends of their files.
with
    line as (
        select *
        from unread_line
        union all by name
        select *
        from ending_line e
        where not exists (from unread_line u where u.file_id = e.file_id and u.line_no = e.line_no)
    )
select l.*, told_sentence(text) as sentence, f.lines - l.line_no as lines_to_end
from line l
join file f using (file_id)
where not is_code(text)
qualify row_number() over (order by lines_to_end, file_id, l.line_no) <= 4000
