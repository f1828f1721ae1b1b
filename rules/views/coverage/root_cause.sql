-- table: one row per incident that is a root cause, with what it leaves open.
-- settled: it is sure, and no other log would tell more. kernel_would_tell: the kernel's log would
-- name what is behind it. blames_hosts: the reason is to be looked for on its hosts; peer: on this
-- other end.
with
    cause as (
        select
            rule,
            confidence,
            hosts,
            ranks,
            facts,
            -- not by a fault of its own (SIGILL, SIGABRT, SIGFPE, SIGSEGV): something else may
            -- have killed it
            rule = 'crash.signal'
            and coalesce((facts ->> 'signal') not in ('4', '6', '8', '11'), true) as maybe_killed,
            rule like 'network.%' as network,
            -- who refuses is up, and a name that is not known is none of a host
            coalesce(
                rule = 'network.connect_failure'
                and (facts ->> 'failure') in ('refused', 'unresolved')
                and (facts ->> 'source') in ('ssh', 'exception'),
                false
            ) as is_plain_refusal
        from incident
        where root
    )
select
    rule,
    ranks,
    hosts,
    rule like 'hang.%' as hangs,
    network,
    -- what a hang or a dead peer is about is often in another log than the one that complains
    confidence = 'definite'
    and rule not in (
        'hang.collective_timeout',
        'hang.init_incomplete',
        'hang.missing_rank',
        'crash.signal',
        'gpu.cuda_error',
        'host.node_lost',
        'network.ib_error',
        'network.connect_failure'
    ) as settled,
    network
    and not is_plain_refusal
    or maybe_killed
    or rule in ('gpu.cuda_error', 'hang.missing_rank')
    or (rule = 'oom.host' and confidence = 'possible') as kernel_would_tell,
    -- with more of them it is none of them in particular
    len(hosts) <= 4
    and not is_plain_refusal
    and (
        maybe_killed
        or rule in (
            'gpu.cuda_error',
            'hang.missing_rank',
            'host.node_lost',
            'network.ib_error',
            'network.connect_failure',
            'oom.host'
        )
    ) as blames_hosts,
    case
        when network and not is_plain_refusal then coalesce(facts ->> 'peer_host', facts ->> 'peer')
    end as peer
from cause
