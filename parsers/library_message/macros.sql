-- What a message of a communication library names, wherever it names it. A macro has a name here
-- once. An address is told by its port in angle brackets or behind a colon.
--
-- A message as words, each behind a blank: without case, punctuation, numbers and addresses.
create macro message_words(message) as
    ' ' || regexp_replace(
        regexp_replace(lower(message), '\b(?:0x[0-9a-f]+|[0-9]+)\b', ' ', 'g'),
        '[^a-z0-9]+',
        ' ',
        'g'
    )
;

create macro message_peer(message) as
    coalesce(
        nullif(
            regexp_extract(
                message,
                '((?:[0-9]{1,3}\.){3}[0-9]{1,3}'
                || '|[0-9A-Za-z.:%_-]*[A-Za-z:.][0-9A-Za-z.:%_-]*)<[0-9]+>',
                1
            ),
            ''
        ),
        nullif(
            regexp_extract(
                message, '((?:[0-9]{1,3}\.){3}[0-9]{1,3})(?::[0-9]+)?(?:[^0-9.]|$)', 1
            ),
            ''
        ),
        nullif(regexp_extract(message, '(fi_addr_[a-z]+://\[[^\]]+\])', 1), ''),
        -- over InfiniBand; over RoCE its value means nothing
        case
            when not contains(message, 'dgid=')
            then 'LID ' || nullif(regexp_extract(message, '\bdlid=([0-9]+)', 1), '')
        end
    )
;

create macro message_peer_rank(message) as
    coalesce(
        -- a thread of DeepEP's barrier waits for the rank of its number, as long as a value is left
        try_cast(
            nullif(
                regexp_extract(
                    message,
                    '\btimeout check failed: rank = [0-9]+, thread = ([0-9]+), value = [1-9]',
                    1
                ),
                ''
            ) as bigint
        ),
        -- who did not send
        try_cast(nullif(regexp_extract(message, '\bsrc_rank[ =:]+([0-9]+)', 1), '') as bigint),
        try_cast(
            regexp_extract(
                message,
                '(?i)(?:^|[^a-z])(?:from |to |of |tp|local|peer|top parent )?'
                || '(?:rank|peer)[ =:]+([0-9]+)',
                1
            ) as bigint
        )
    )
;

create macro message_path(message) as
    nullif(
        regexp_extract(
            message,
            '(?:^|[ ([''"=:<])(/[0-9A-Za-z_.:@+~-]+(?:/[0-9A-Za-z_.:@+~-]*)*)',
            1
        ),
        ''
    )
;

-- A network device, or a GPU or card by its address on the bus.
create macro message_device(message) as
    nullif(
        regexp_extract(
            message,
            '\b((?:mlx[45]|bnxt_re|efa|hfi1|irdma|rocep?|rdmap|ibp?|ibs|cxi|hns)_?[0-9][0-9a-z_]*'
            || '|(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\b',
            1
        ),
        ''
    )
;

create macro message_bytes(message) as
    try_cast(
        coalesce(
            nullif(regexp_extract(message, '([0-9]+) (?:bytes|B\b)', 1), ''),
            nullif(regexp_extract(message, '(?i)(?:size|length|len|nbytes)[ =:(]*([0-9]+)', 1), '')
        ) as bigint
    )
;

-- Why, as the library was told: a text in quotes, what follows the last colon, or a number.
create macro message_reason(message) as
    coalesce(
        nullif(regexp_extract(message, '''([A-Za-z][^'']{6,})''', 1), ''),
        nullif(
            regexp_extract(
                message,
                '(?i)(?:error|failed|failure|returned|because|reason)\b[^:]*[:,] *'
                || '(?:error:? *)?([A-Za-z][^:]*[a-z)])[. ]*$',
                1
            ),
            ''
        ),
        nullif(
            regexp_extract(
                message, '(?i)(?:with error|error|returned) ([A-Z][a-z][A-Za-z ]+)', 1
            ),
            ''
        ),
        nullif(
            regexp_extract(
                message,
                '(?i)(?:error|failed|failure|returned|status|retcode|ret|rc|res|errno)'
                || '(?: with| code| =|:|=|\()* *\(?(-?[0-9]+)',
                1
            ),
            ''
        )
    )
;

-- Whether a message tells of RDMA (InfiniBand, RoCE, EFA, Slingshot) and not of TCP sockets.
create macro is_about_rdma(message, source) as
    -- which names its kernels by the way they use
    not starts_with(source, 'deepep')
    and regexp_matches(
        concat_ws(' ', source, message),
        '(?i)net_ib|net/ib|ibv_|ibverbs|mlx[45]|rdma|net/ofi|\bgid|infiniband|\bqp\b|ud_iface'
        || '|rc_iface|ib_iface|ib_md|endpoint timeout|ibrc|ibgda|ibdevx'
    )
;
