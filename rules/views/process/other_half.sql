-- table: One row per file (file_id) with half of what a job printed, and per file that has the
-- other half (half_id): standard output and standard error, where they went to files of one name.
select a.file_id, b.file_id as half_id
from file a
join file b on b.file_id <> a.file_id and output_stem(b.path) = output_stem(a.path)
where a.lines > 0 and b.lines > 0
