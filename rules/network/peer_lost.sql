/*
title = "A peer closed its connection"
severity = "warning"
confidence = "possible"
status = "stable"
about = """
The other end went away. That is nearly always the echo of something that happened there: look for
the peer's own end first.
"""
false_positives = """
The job was taken down on purpose and one process was faster than the others.
"""

[[summary]]
when = "source in ('agent', 'store')"
say = '''
{% if source == 'agent' %}The launcher's agent{% elif ranks %}{{ ranks | ranks | capital }}
{% else %}A process{% endif %} {% if host %}on {{ host }}{% endif %} lost the store that
processes find each other by: the process that held it (rank 0 or its agent, on the first node)
had ended'''

[[summary]]
when = "source == 'jax'"
say = '''{{ ranks | agree('Process', 'Processes') }} {{ ranks | ranges }}
no longer {{ ranks | agree('sends', 'send') }} heartbeats to the coordination service'''

[[summary]]
when = "source == 'jax_service'"
say = '''JAX's coordination service ended {% if hosts %}a process on {{ hosts | names }}{% else %}a
process{% endif %} because another one, or the coordinator itself, had died'''

[[summary]]
when = "source == 'nccl_exception'"
say = '''{% if ranks %}{{ ranks | ranks | capital }}{% else %}A process{% endif %} lost a peer that
NCCL does not name: it exited, or the network to it failed'''

[[summary]]
when = "quiet_ranks"
say = '''{{ ranks | ranks | capital }} lost
{{ ranks | agree('a gloo connection', 'gloo connections') }}; {{ quiet_ranks | ranks }}
{% if quiet_host %}on {{ quiet_host }} reported nothing, nor did the launcher there: both were
killed, or the host went down
{%- elif has_ended_well %}had ended before them, without an error: all other ranks are in the
launcher's table of failures{% else %}reported nothing: it ended, or left the loop, before them
{%- endif %}'''

[[summary]]
say = '''
{% if source == 'gloo' and ranks %}{{ ranks | ranks | capital }}
{% elif hosts %}{{ hosts | names }}{% elif ranks %}{{ ranks | ranks | capital }}
{% else %}A process{% endif %}
lost {% if source == 'gloo' %}a gloo connection{% else %}the connection{% endif %} to
{% if (peers or []) | length > 1 %}{{ peers | length }} peers
{%- elif peer and host and host in (peer, peer_host) %}another process on the same host
{%- elif peer %}{% if peer_host %}{{ peer_host }} ({{ peer }}){% else %}{{ peer }}{% endif %}
{%- else %}a peer that the log does not name{% endif %}: closed at the other end
{%- if silent_seconds %}; its own log is silent since {{ silent_since.strftime('%H:%M:%S') }},
{{ silent_seconds | duration }} before{% endif %}'''

[[step]]
when = "source in ('agent', 'store')"
say = '''Find the log of rank 0 and of the launcher on the first node (MASTER_ADDR,
--rdzv-endpoint), and read how they ended.'''

[[step]]
when = "source == 'jax'"
say = '''Find the log of {{ ranks | agree('process', 'processes') }} {{ ranks | ranges }} and
read how {{ ranks | agree('it', 'they') }} ended; look for a preemption or an eviction there, and
for the OOM killer in the kernel log.'''
run = ["dmesg -T | grep -i -E 'out of memory|killed process'"]

[[step]]
when = "quiet_host"
say = '''See whether {{ quiet_host }} is up, since when, and what ended processes there: a reboot,
the OOM killer, the scheduler, a person.'''
run = [
  "ssh {{ quiet_host }} uptime -s",
  "ssh {{ quiet_host }} sudo dmesg -T | grep -i -E 'out of memory|killed process|xid'",
  "ssh {{ quiet_host }} last -x reboot shutdown",
]

[[step]]
when = "quiet_ranks and not quiet_host"
say = '''Read how the log of {{ quiet_ranks | ranks }} ends: it may have left its loop early (fewer
batches, a break, sys.exit).'''

[[step]]
when = "silent_seconds"
say = '''Look at what the other end did at {{ silent_since.strftime('%H:%M:%S') }}, the last time
that its log tells of: its connection was closed {{ silent_seconds | duration }} later. A process
that dies closes it at once; one that hangs, or whose host is gone, does not.'''

[[step]]
when = "source == 'nccl_exception'"
say = '''Look for a rank that ended without such an exception: it is the one that went away first.
NCCL's own warnings name the peer.'''
run = ["export NCCL_DEBUG=WARN"]

[[step]]
when = "source in ('nccl', 'gloo') and peer and not quiet_ranks"
say = '''Find out how the process at the other end, on {{ peer_host or peer }}, ended: read the
last lines of its log and look for the OOM killer, an Xid or a signal.'''
run = [
  "getent hosts {{ peer if not peer_host else none }}",
  "dmesg -T | grep -i -E 'out of memory|xid|segfault'",
]

[[step]]
otherwise = true
say = '''Collect the logs of all ranks and hosts, and look for the one that ended first: its own
end is the cause.'''
*/
with
    reported as (
        select
            *,
            source = 'gloo' and rank is not null as is_ranked_gloo,
            short_host(peer) is distinct from short_host(host) as is_far,
            case when source in ('agent', 'store') then 'store' else source end as part
        from peer_loss
    ),
    highest_rank as (
        select
            greatest(
                (select max(rank) from rank), (select max(rank) from gloo_error)
            ) as highest_rank
    ),
    lost as (
        select
            part,
            bool_or(source = 'agent') as has_agent,
            bool_or(is_ranked_gloo) as is_ranked_gloo,
            list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence,
            min(time) as at,
            max(time) as until,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct host order by host) filter (host is not null) as hosts,
            -- whose own neighbours were lost as well lost one elsewhere first
            count_if(short_host(peer) = short_host(host)) > count_if(is_far) as is_at_home,
            mode(peer) as any_peer,
            mode(peer) filter (is_far) as far_peer,
            list(distinct peer order by peer) filter (peer is not null) as peers,
            mode(peer_host) as any_peer_host,
            mode(peer_host) filter (is_far) as far_peer_host,
            arg_min(port, (file_id, line_no)) as port,
            count(*) as times
        from reported
        group by part
    ),
    ended as (select coalesce(list(distinct rank), []) as ended_ranks from ended_by_launcher),
    -- The table of failures that torch's launcher prints has all that ended otherwise than well.
    failed as (
        select
            list(distinct rank) as failed_ranks,
            coalesce(list(distinct short_host(host)) filter (host is not null), []) as told_hosts
        from "exit"
        where source = 'torchelastic' and rank is not null
    ),
    -- Where all but one complain of gloo, that one has gone first: those that their launcher ended
    -- had no time to complain.
    quiet as (
        select
            part,
            list_filter(
                ranks_below(highest_rank + 1),
                lambda r: not list_contains(ranks, r) and not list_contains(ended_ranks, r)
            ) as quiet_ranks
        from lost, highest_rank, ended
        where is_ranked_gloo and len(quiet_ranks) = 1
    ),
    -- Each host has its own launcher, whose table has the ranks of that host only: that it is
    -- silent there is told where logs of that host are here.
    quiet_end as (
        select
            part,
            quiet_ranks,
            case
                when
                    short_host(r.host) in (
                        select coalesce(a.host, short_host(f.host))
                        from file f
                        left join host_alias a on a.alias = short_host(f.host)
                        where f.host is not null
                    )
                then r.host
            end as quiet_host,
            case
                when
                    r.host is null
                    and len(failed_ranks) = highest_rank
                    and not list_contains(failed_ranks, quiet_ranks[1])
                then true
            end as has_ended_well
        from quiet q
        cross join highest_rank
        cross join failed f
        left join
            rank r
            on r.rank = q.quiet_ranks[1]
            and len(f.told_hosts) > 0
            and not list_contains(f.told_hosts, short_host(r.host))
    ),
    told as (
        select
            l.* exclude (part),
            case when part <> 'gloo' then until end as last_told,
            case when part = 'store' and has_agent then 'agent' else part end as source,
            case when is_at_home then any_peer else coalesce(far_peer, any_peer) end as peer,
            case
                when is_at_home or far_peer is null then any_peer_host else far_peer_host
            end as peer_host,
            quiet_ranks,
            has_ended_well,
            quiet_host,
            -- whose log is that of the other end
            case
                when part = 'jax'
                then ranks
                when quiet_ranks is not null
                then quiet_ranks
                when starts_with(peer, 'rank ')
                then [try_cast(substr(peer, 6) as bigint)]
            end as far_ranks
        from lost l
        left join quiet_end using (part)
    ),
    -- The other end's last word, where that was a minute before its connection closed.
    last_word as (
        select
            t.source,
            max(s.time) as silent_since,
            arg_max(s.line, s.time) as silent_line,
            epoch(any_value(t.at)) - epoch(max(s.time)) as silent_seconds
        from told t
        join
            last_sign s
            on list_contains(t.far_ranks, s.rank)
            or t.far_ranks is null
            and short_host(s.host) = short_host(coalesce(t.peer_host, t.peer))
            and not coalesce(list_contains(t.hosts, s.host), false)
        group by t.source
        having max(s.time) <= any_value(t.at) - interval 1 minute
    )
select
    case
        when silent_line is null then evidence else list_append(evidence, silent_line)
    end as evidence,
    "at",
    last_told as until,
    ranks,
    hosts,
    source,
    peer,
    peers,
    peer_host,
    port,
    times,
    quiet_ranks,
    quiet_ranks is not null as waited,
    has_ended_well,
    quiet_host,
    case when has_ended_well then 'probable' end as confidence,
    silent_since,
    round(silent_seconds) as silent_seconds
from told
left join last_word using (source)
