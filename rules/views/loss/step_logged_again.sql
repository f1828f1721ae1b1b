-- table: One row per curve and step that was logged more than once, with other values: what was
-- trained again. A text that is printed twice says the same twice.
select series_id, step from series_point group by series_id, step having count(distinct value) > 1
