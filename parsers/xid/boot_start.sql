-- table: One row per file with the lines (and hosts) where another boot begins in it, in order.
select file_id, list({'host':host, 'line_no':line_no} order by line_no) as starts
from boot_mark
group by file_id
