-- view:
select line_id, file_id, stream from line_front where phase ~* '^(val|eval|test)'
