-- table: One row per exception whose message names an error of the system (errno), by its number
-- or, for connections, in words, as Python, C, Rust and Go print it: name, class = as in errno;
-- path = the file it was about; peer, port = the other end, where the message names one.
with
    told as (
        select
            file_id,
            line_no,
            message,
            coalesce(
                number_in(message, '\[Errno ([0-9]+)\]'),
                number_in(message, '\(os error ([0-9]+)\)'),
                number_in(message, '\bOs \{ code: ([0-9]+),'),
                number_in(message, '^Error ([0-9]+) connecting to '),
                -- as programs in C print it
                number_in(message, '\berrno ?= ?([0-9]+)\.?$'),
                -- Dask's own words
                case when starts_with(message, 'Timed out trying to connect to ') then 110 end
            ) as number,
            lower(
                regexp_extract(
                    message,
                    '(?i)(?:failed with |^E[A-Z]+: |connect: |open /[^:]+: '
                    || '|failed to connect[^:]*: '
                    || '|bind[^:]{0,40}: |server: |error: |^)'
                    || '(connection refused|connection timed out|no route to host'
                    || '|network is unreachable|stale file handle|remote I/O error'
                    || '|address already in use'
                    || '|transport endpoint is not connected)',
                    1
                )
            ) as words
        from exception
    )
select
    t.file_id,
    t.line_no,
    e.errno,
    e.name,
    e.text,
    e."class",
    coalesce(
        nullif(regexp_extract(message, ': b?''([^'']+)''', 1), ''),
        nullif(regexp_extract(message, '^open (/[^:]+):', 1), '')
    ) as path,
    nullif(
        regexp_extract(
            message,
            '(?:ipv4:|ipv6:|tcp |(?:tcp|tls|ucx)://|connecting to |[Hh]ost[ =:]+|\(|to |\@)[''"]?'
            || '([0-9A-Za-z][0-9A-Za-z_.-]*|\[[0-9A-Fa-f:]+\])[''"]?'
            || '(?:: ?|, ?| |, ?port[ =]|.{0,40} port )[''"]?([0-9]{2,5})\b',
            1
        ),
        ''
    ) as peer,
    number_in(
        message,
        '(?:ipv4:|ipv6:|tcp |(?:tcp|tls|ucx)://|connecting to |[Hh]ost[ =:]+|\(|to |\@)[''"]?'
        || '(?:[0-9A-Za-z][0-9A-Za-z_.-]*|\[[0-9A-Fa-f:]+\])[''"]?'
        || '(?:: ?|, ?| |, ?port[ =]|.{0,40} port )[''"]?([0-9]{2,5})\b'
    ) as port
from told t
join
    errno e
    on e.errno = t.number
    or t.number is null
    and (
        lower(e.text) = t.words
        -- all there is of the message, whose end is cut off
        or t.words = ''
        and e."class" in ('refused', 'timed_out', 'unreachable', 'peer')
        and length(t.message) between 15 and length(e.text) - 1
        and starts_with(lower(e.text), lower(t.message))
    )
