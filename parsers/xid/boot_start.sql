-- view: Where in a file another boot of a machine begins.
select file_id, list({'host':host, 'line_no':line_no} order by line_no) as starts
from boot_mark
group by file_id
