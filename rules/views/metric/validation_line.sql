-- view: One row per line of a validation, as the words in front of its step tell.
select line_id, file_id, stream from line_front where phase ~* '^(val|eval|test)'
