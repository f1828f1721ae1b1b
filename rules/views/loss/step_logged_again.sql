-- table: One row per curve and step that was logged more than once.
select series_id, step from series_point group by series_id, step having count(*) > 1
