-- table: One row per line in which somebody says that the program hangs; what may happen, or is to
-- be avoided, is no such thing.
select file_id, line_no, time, host, rank, text
from hang_told
where
    not regexp_matches(
        text,
        '(?i)\b(?:may|might|can|could|would|should|if|unless|whether|in case|avoid(?:s|ing)?'
        || '|prevent(?:s|ing)?|fix(?:es|ed)?|detects?|check(?:s|ing)?|test(?:s|ing)?|never|not|no'
        || '|without|until|otherwise)\b[^.;]*\b(?:hang|hung|stuck|fr[eo]+ze|dead-?lock|stall'
        || '|wedged|lock(?:s|ed)? up)'
    )
;
