-- table: One row per report that a file is not what it should be, by its checksum: error = who says
-- it, path = the file where it is named.
with
    raised as (
        select
            file_id,
            line_no,
            time,
            rank,
            host,
            type as error,
            nullif(
                regexp_extract(message, '((?:[a-z0-9]+://|/)[^ ,''"()]+[0-9A-Za-z])', 1), ''
            ) as path
        from fatal_exception
        where
            -- or what ends the log
            (certain or lines_after <= 2)
            and kind <> 'checkpoint'
            and regexp_matches(
                class || ': ' || message,
                '(?i)checksum(?:error)?\b.*(?:mismatch|match|differ|wrong|invalid)'
                || '|(?:wrong|invalid|bad|mismatch(?:ed|ing)) checksum|checksumerror'
                || '|(?:md5|sha[0-9]{1,3}|crc32c?|etag)\b.*(?:mismatch|not match)'
            )
    ),
    compared as (
        select t.file_id, t.line_no, t.time, t.rank, t.host, t.tool as error, t.path
        from transfer_failure as t
        where
            kind = 'checksum'
            -- many things end in the word FAILED: the last line of sha256sum tells that it was it
            and (
                tool <> 'sum'
                or exists (
                    from transfer_failure as s
                    where s.kind = 'checksums' and s.file_id = t.file_id and s.line_no > t.line_no
                )
            )
    )
from raised
union all by name
from compared
