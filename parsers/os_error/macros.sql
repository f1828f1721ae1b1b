-- Lines of logs about full disks and limits, without those that mean something else by the same
-- words.
create macro os_error_path(message) as
    coalesce(
        nullif(
            regexp_extract(message, '(?:device|exceeded|files): ?[''"‘]([^''"’]+)[''"’]', 1), ''
        ),
        nullif(regexp_extract(message, '[''"‘<](/[^''"’>]+)[''"’>]', 1), ''),
        nullif(
            regexp_extract(
                message,
                '(?:^|[ (])(/[^ :;,()]+)[:;]? (?:failed: )?'
                || '(?:[Nn]o space left|[Dd]isk quota|[Tt]oo many open)',
                1
            ),
            ''
        ),
        nullif(
            regexp_extract(
                message,
                '(?:write|open|mkdir|create|copy|rename|sync)[a-z]* '
                || '(?:to |file |error )?(/[^ :;,()''"]+)',
                1
            ),
            ''
        )
    )
;

-- A comment, a hint or a guess: it tells of no failure.
create macro os_error_is_advice(message) as
    regexp_matches(
        coalesce(message, ''),
        '^ *(?:#|//|\*|>)|[Hh]int|[Ii]f you (?:see|get)|may (?:be|mean|indicate)|might'
        || '|to avoid|in case of|could be'
    )
;
