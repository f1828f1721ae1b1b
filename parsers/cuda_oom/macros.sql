-- Sizes as programs print them, in bytes; K, M, G are binary. NULL where there is none, or where it
-- is no size a machine has (PyTorch prints 17179869184.00 GiB for "no limit" and for a process
-- whose memory it may not see).
create macro size_bytes_of(t) as
    try_cast(
        round(
            try_cast(replace(regexp_extract(t, '([0-9][0-9.,]*)', 1), ',', '') as double) * case
                upper(regexp_extract(t, '[0-9][0-9.,]* *([KMGTkmgt]?)', 1))
                when 'K'
                then 1024.0
                when 'M'
                then 1048576.0
                when 'G'
                then 1073741824.0
                when 'T'
                then 1099511627776.0
                else 1.0
            end
        ) as bigint
    )
;

-- The size that @ marks in a regular expression, as text: looked for in the message joined with
-- blanks, then without (a terminal wraps within words). What begins with @ must not begin within a
-- number that was broken.
create macro size_text(m, tight, pattern) as
    coalesce(
        nullif(
            regexp_extract(
                m,
                replace(
                    regexp_replace(pattern, '^@', '(?:^|[^0-9.] |[^0-9]\\. |[;(])@'),
                    '@',
                    '([0-9][0-9.,]* ?(?:[KMGT]i?B|bytes|B))'
                ),
                1
            ),
            ''
        ),
        nullif(
            regexp_extract(
                tight,
                replace(
                    replace(
                        regexp_replace(pattern, '^@', '(?:^|[^0-9.] |[^0-9]\\. |[;(])@'), ' ', ' ?'
                    ),
                    '@',
                    '([0-9][0-9.,]* ?(?:[KMGT]i?B|bytes|B))'
                ),
                1
            ),
            ''
        )
    )
;
