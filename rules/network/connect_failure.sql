/*
title = "A peer cannot be reached"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["hang", "network.peer_lost", "crash.exception", "crash.signal", "loss.rollback"]
about = """
A connection was refused, timed out or found no route, or one that stood was broken off by the
network. A peer that several hosts cannot reach is the
suspect: its process is gone, or a firewall or a missing route keeps them apart. A host that reaches
none of its peers is the suspect itself. NCCL up to 2.23 reports a refused connection as `Software
caused connection abort`.
"""
false_positives = """
The peer had died before and its own failure is not in these logs: the refused connection is then
the echo of that.
"""
references = [
  "https://github.com/NVIDIA/nccl/issues/1515",
  "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html",
]
[[summary]]
when = "told"
say = '''
{{ peer or 'A peer' }} cannot be reached: {{ told | cut(200) }}
'''

[[summary]]
say = '''
{% if hosts %}{{ hosts | names }}
{%- if ranks %} ({{ ranks | ranks }}){% elif host and gpus %} ({{ gpus | names('GPU') }}){% endif %}
{% elif ranks %}{{ ranks | ranks | capital }}{% elif source in ('slurm', 'slurmctld') %}Slurm
{%- else %}A process{% endif %}
{% if source == 'strace' and syscall != 'connect' %}can no longer reach{% else %}cannot reach
{% endif %}
{% if peers %}{{ peers | names }}
{% elif peer %}{% if peer_host %}{{ peer_host }} ({{ peer }}){% else %}{{ peer }}{% endif %}
{%- if port %} port {{ port }}{% endif %}
{%- if gloo_on_loopback %}, the loopback that a host gave to gloo{% endif %}
{%- elif source == 'slurmctld' %}its controller (slurmctld)
{%- elif source == 'tpu_driver' %}the driver of its TPU, which is on another machine
{%- elif source == 'gloo' %}another rank by gloo, which does not say whom or why
{%- else %}a peer that the log does not name{% endif %}
{%- if source == 'strace' and syscall != 'connect' %}, to which it had a connection{% endif %}
{%- if failure == 'refused' %}: connection refused
{%- elif failure == 'unreachable' and 'ermi' in (error or '') %}: its own host forbids it (route,
firewall)
{%- elif failure == 'unreachable' and source not in ('slurm', 'slurmctld', 'tpu_driver') -%}
: no route to it
{%- elif failure == 'unresolved' %}: its name is not known
{%- elif failure == 'timed_out' %}: timed out
{%- if timeout_ms %} after {{ (timeout_ms / 1000) | duration }}{% endif %}
{%- elif attempts and not peer and source != 'slurmctld' %}: no connection after
{{ attempts | count('attempt') }}
{%- elif error %}: {{ error }}{% endif %}'''

[[step]]
when = "peers and host"
say = '''Look at {{ host }} first, its interfaces, routes and firewall: it could not reach any of
{{ peers | names }}.'''
run = ["ip -br addr", "ip route get {{ peers[0] }}", "nc -vz -w 5 {{ peers[0] }} {{ port }}"]

[[step]]
when = "failure == 'refused' and peer == '127.0.1.1'"
say = '''Give the name of {{ host or 'this host' }} the address by which the others reach it: Debian
and Ubuntu write 127.0.1.1 for it into /etc/hosts, and gloo tells that address to all ranks. Or
name the interface to use.'''
run = [
  "getent hosts $(hostname)",
  "ip -br addr",
  "export GLOO_SOCKET_IFNAME=INTERFACE TP_SOCKET_IFNAME=INTERFACE",
]

[[step]]
when = "gloo_on_loopback and peer != '127.0.1.1'"
say = '''In a job of several hosts, give the name of {{ host or 'each host' }} an address by which
the others reach it (/etc/hosts, DNS), or name the interface to use: a host whose name resolves to
no address of its own, or to the loopback, tells {{ peer }} to all ranks, and they look for it on
themselves. On one host, find out how the process behind port {{ port }} ended.'''
run = ["getent hosts $(hostname)", "ip -br addr", "export GLOO_SOCKET_IFNAME=INTERFACE"]

[[step]]
when = "failure == 'refused' and peer in ('127.0.0.1', '::1', 'localhost') and not gloo_on_loopback"
say = '''Nothing listens on port {{ port }} of this host: find out how the process that should
hold it ended, usually rank 0 or the launcher's agent. In a job of several hosts, {{ peer }} is a
mistake: MASTER_ADDR must be an address of rank 0's host that the others can reach.'''
run = ["ss -ltnp sport = :{{ port }}", "echo $MASTER_ADDR $MASTER_PORT"]

[[step]]
when = '''failure == 'refused' and peer and source not in ('ssh', 'slurm')
  and peer not in ('127.0.0.1', '127.0.1.1', '::1', 'localhost')'''
say = '''Find out how the process on {{ peer_host or peer }} ended: the host answers, but
nothing listens on {% if port %}port {{ port }}{% else %}that port{% endif %} any more, or yet.
{% if 'abort' in (error or '') %}(NCCL up to 2.23 prints "{{ error }}" for a refused
connection.){% endif %}'''
run = [
  "getent hosts {{ peer }}",
  "ss -ltnp sport = :{{ port }}",
  "nc -vz -w 5 {{ peer }} {{ port }}",
]

[[step]]
when = "failure == 'refused' and not peer and source == 'exception'"
say = '''Read in the program's settings which server it asks, and see whether that one is up before
the job begins: the host answers, but nothing listens on that port yet, or any more.'''
run = ["env | grep -iE 'url|host|port|endpoint'", "ss -ltn"]

[[step]]
when = "source == 'slurmctld'"
say = '''Ask whether Slurm's controller is up, and whether this host reaches it: it restarts, has
too much to do, or a firewall is between them. Nothing is wrong with the request itself.'''
run = ["scontrol ping", "sdiag | head -20", "scontrol show config | grep -E 'Slurmctld(Host|Port)'"]

[[step]]
when = "source == 'slurm'"
say = '''See whether slurmd runs on {{ (peers or [peer]) | names }}, and whether the host that
starts the job reaches it{% if port %} on port {{ port }}{% endif %}: a firewall, a name that
resolves to another address, a key of munge or a clock that differs, and too many tasks started at
once all end so.'''
run = [
  "scontrol show node {{ (peers or [peer]) | join(',') }}",
  "nc -vz -w 5 {{ (peers or [peer])[0] }} {{ port }}",
  "munge -n | ssh {{ (peers or [peer])[0] }} unmunge",
]

[[step]]
when = "failure == 'timed_out' and peer and not peers and source != 'slurm'"
say = '''Test the path from {{ host or 'the host that failed' }} to {{ peer_host or peer }}:
silence means that packets are dropped (firewall, security group, wrong subnet), that the peer is
down, or that its process is stopped.'''
run = ["nc -vz -w 5 {{ peer }} {{ port }}", "ip route get {{ peer }}", "ping -c 3 {{ peer }}"]

[[step]]
when = "failure in ('timed_out', 'unreachable') and peer and peer_host and host and not peers"
say = '''If the two cannot reach each other outside of the job either, leave one of them out
and have it replaced: in a cloud such a pair often sits in networks that do not meet.'''
run = ["@leave_out [peer_host]", "srun -w {{ host }},{{ peer_host }} -N 2 hostname -I"]

[[step]]
when = "failure == 'unreachable' and not peer and source == 'strace'"
say = '''Look for what took the network away from {{ host or 'this host' }} at that time: an
interface that went down, a route or an address that was changed, a tunnel that ended.'''
run = ["ip -br addr", "ip route", "journalctl -k --since -1h | grep -iE 'link|carrier'"]

[[step]]
when = "failure == 'unreachable' and peer and not peers"
say = '''Look at the route from {{ host or 'the host that failed' }} to {{ peer_host or peer }}:
the address is in a subnet it has no route to, the peer's port is down, or a firewall rejects the
connection.'''
run = [
  "ip route get {{ peer }}",
  "ip -br addr",
  "ping -c 3 {{ peer }}",
  "nc -vz -w 5 {{ peer }} {{ port }}",
]

[[step]]
when = "failure == 'unresolved'"
say = '''Look {{ peer or 'the name' }} up on {{ host or 'the host that failed' }}: it is wrong
(MASTER_ADDR, hostfile), its pod or service is not there yet, or the name server does not
answer.'''
run = ["getent hosts {{ peer }}", "cat /etc/resolv.conf", "kubectl get pods,svc,endpoints"]

[[step]]
when = "source == 'nccl' and failure in ('timed_out', 'unreachable') and peer"
say = '''Find out which interface holds {{ peer }} on {{ peer_host or 'the peer' }}. If it is
not the network of the job (docker0, virbr0, a management port), name the right one in
NCCL_SOCKET_IFNAME on all hosts.'''
run = ["ip -br addr"]

[[step]]
when = "interface and source == 'nccl'"
say = '''See whether {{ interface }}{% if host %} of {{ host }}{% endif %} leads to the other
hosts at all: the connections go over it. If it is a bridge or a port of containers, name the
network of the job in NCCL_SOCKET_IFNAME on all hosts.'''
run = ["ip -d addr show {{ interface }}"]

[[step]]
when = "source == 'c10d' and peer and peer not in ('127.0.0.1', '127.0.1.1', '::1', 'localhost')"
say = '''Compare MASTER_ADDR and MASTER_PORT (or --rdzv-endpoint) of all hosts: they must name
the host of rank 0, here {{ peer }}{% if port %} port {{ port }}{% endif %}, and rank 0 or its
agent must have been started there.'''
run = ["getent hosts {{ peer }}", "env | grep -E 'MASTER_|RDZV|GLOO_SOCKET_IFNAME'"]

[[step]]
when = "source == 'exception' and at_rendezvous"
say = '''
Compare MASTER_ADDR and MASTER_PORT (or --rdzv-endpoint) of all hosts: the ranks meet there as the
process group is made, and rank 0 must have been started on that host.
'''
run = ["env | grep -E 'MASTER_|RDZV'"]

[[step]]
when = "source == 'exception' and not at_rendezvous"
say = '''
Find the call in the stack below: it is the program's own connection, not one of the collectives.
'''

[[step]]
when = "not peer and source == 'strace'"
say = '''Trace again with both ends of every connection: the failed call then names the peer.'''
run = ["strace -f -tt -T -yy -p {{ pids[0] }}"]

[[step]]
when = "not peer and source == 'oneccl_store'"
say = '''Look whether the first process of the job runs, and under which address the others look
for its key-value store: all of them need an interface on which they reach it.'''
run = ["env | grep -E '^(CCL|FI|MASTER)_'", "ip -br addr", "export CCL_KVS_IFACE=eth0"]

[[step]]
when = "not peer and source == 'c10d'"
say = '''Look whether the agent of the first node runs, and whether this host reaches it under the
endpoint that all were given: name, port, firewall.'''
run = ["echo $MASTER_ADDR $MASTER_PORT", "pgrep -af rdzv", "nc -vz -w 5 $MASTER_ADDR $MASTER_PORT"]

[[step]]
when = "source == 'tpu_driver'"
say = '''Look whether the TPU is there and answers: its state, the address that the program was
given, and in a notebook the kind of runtime. A new one may be needed: without its TPU, JAX goes on
with the CPU. JAX from 0.4 on can no longer reach a TPU of another machine (Colab's old ones, TPU
nodes).
'''
run = [
  "echo $TPU_NAME $COLAB_TPU_ADDR",
  "gcloud compute tpus tpu-vm list",
  "python -c 'import jax; print(jax.__version__)'",
]

[[step]]
when = "not peer and source == 'gloo'"
say = '''Check that the hosts reach each other on the interface gloo takes, and name it: a host
whose name resolves to the loopback, or to an address of another network, tells that one to all
ranks.'''
run = ["getent hosts $(hostname)", "ip -br addr", "export GLOO_SOCKET_IFNAME=INTERFACE"]

[[step]]
when = '''not peer and source not in ('exception', 'told', 'oneccl_store', 'c10d', 'strace', 'gloo',
  'slurmctld', 'tpu_driver')'''
say = '''Run again with the connections in the log: they name the peer and the interface that
NCCL chose.'''
run = ["export NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET", "ip -br addr"]

[[step]]
when = "source == 'ssh' or 'ssh' in (error or '') or 'exit status 255' in (error or '')"
say = '''Log in on {{ peer or 'that host' }} from where the job is launched, as the same user: it
must work without a password. If it does not, see whether its ssh daemon
answers{% if port %} on port {{ port }}{% endif %}, and look at the key and the name.'''
run = ["ssh -o BatchMode=yes{% if port %} -p {{ port }}{% endif %} {{ peer }} hostname"]

[[step]]
otherwise = true
say = '''Test the connection from {{ host or 'the host that failed' }}{% if peer %} to
{{ peer_host or peer }}{% endif %}, then look at
{% if not told %}the interface that was chosen (NCCL_SOCKET_IFNAME, GLOO_SOCKET_IFNAME) and
at{% endif %} firewall rules, and whether the other end was still running.'''
run = ["nc -vz -w 5 {{ peer }} {{ port }}", "ip -br addr"]
*/
with
    attempt as (
        select
            *,
            count(distinct coalesce(host, '')) over (partition by peer) as hosts_of_peer,
            count(distinct coalesce(peer, '')) over (partition by host) as peers_of_host
        from connect_failure
    ),
    blamed as (  -- the end that fails more than once: of a host that reaches nobody, the host
        select
            *,
            case when peers_of_host > hosts_of_peer then coalesce(host, '') end as failing_host,
            case when peers_of_host <= hosts_of_peer then coalesce(peer, '') end as missing_peer
        from attempt
    ),
    suspect as (
        select
            list(distinct peer order by peer) filter (peer is not null) as peers,
            list(distinct host order by host) filter (host is not null) as hosts,
            list(distinct rank order by rank) filter (rank is not null) as ranks,
            list(distinct gpu_index::varchar order by gpu_index::varchar) filter (
                gpu_index is not null
            ) as gpus,
            arg_min(port, line_no) as port,
            mode(error) as error,
            mode(failure) as failure,
            mode(source) as source,
            max(attempts) as attempts,
            max(timeout_ms) as timeout_ms,
            list(distinct pid order by pid) filter (pid is not null) as pids,
            min(time) as at,
            max(time) as until,
            count(*) as times,
            arg_min(syscall, line_no) as syscall,
            case when bool_or(at_rendezvous) then true end as at_rendezvous,
            case when count(distinct interface) = 1 then any_value(interface) end as interface,
            list(line_at(file_id, line_no) order by time nulls last, file_id, line_no) as evidence
        from blamed
        group by failing_host, missing_peer
    )
select
    evidence,
    "at",
    until,
    ranks,
    hosts,
    gpus,
    peers[1] as peer,
    case when len(peers) > 1 then peers end as peers,
    a.host as peer_host,
    case
        -- its log ends before it gives up
        when
            source = 'c10d'
            and failure = 'unreachable'
            and not exists (from c10d_store where event <> 'attempt')
        then 'possible'
        when
            source = 'told'
            or source = 'strace'
            and (error = 'no answer' and attempts = 1 or syscall <> 'connect')
            -- what the attempt came to is cut off
            or source in ('c10d', 'gloo')
            and failure is null
        then 'probable'
    end as confidence,
    port,
    error,
    failure,
    source,
    attempts,
    timeout_ms,
    times,
    pids,
    syscall,
    interface,
    at_rendezvous,
    -- what a host's name resolved to is the address that gloo told all others
    case
        when
            peers[1] ~ '^(?:127\.|::1$|localhost$)'
            and exists (from c10d_store where event in ('loopback', 'full_mesh_failed'))
        then true
    end as gloo_on_loopback,
    -- Refused by a store whose server never came: the absent rank is the cause.
    case
        when source in ('exception', 'gloo')
        then ['crash', 'network.peer_lost', 'hang']
        when
            failure = 'refused'
            and exists (
                from stack_init_wait
                where server_missing and stage = 'rendezvous' and why <> 'apart'
            )
        then ['network.peer_lost', 'crash.exception', 'crash.signal', 'loss.rollback']
    end as explains
from suspect
left join address_host a on a.address = peers[1]
union all by name
-- in words that no grammar knows
select evidence, "at", peer, message as error, explains, told, confidence, otherwise
from told_cause
where what = 'connect'
