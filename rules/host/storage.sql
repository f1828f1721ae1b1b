/*
title = "A network file system failed, or changed a file"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["hang", "network.peer_lost", "crash", "loss.rollback", "perf.slowdown"]
explains_same_place = ["host.cpu_stall"]
lasting = true
about = """
A network or parallel file system lost its server, the server evicted the client, or a file handle
went stale. On hard mounts programs wait without an error until the server is back; on soft mounts,
and after an eviction, reads and writes fail. Or the checksum of a file does not match.
"""
false_positives = "A short restart of the server that every program waited out."
references = ["https://doc.lustre.org/lustre_manual.xhtml#lustrerecovery"]

[[summary]]
when = "told"
say = '''
A file system failed, as the log tells: {{ told | cut(200) }}
'''

[[summary]]
when = "waits_in"
say = '''
{{ {'gpfs': 'GPFS', 'nfs': 'NFS', 'lustre': 'Lustre', 'fuse': 'A FUSE file system', 'ceph': 'Ceph',
'cifs': 'SMB', 'beegfs': 'BeeGFS'}.get(filesystem, filesystem or 'A file system') }} did not answer
{%- if hosts %} on {{ hosts | names }}{% endif %}: {{ process }} (pid {{ pid }}) was blocked in it
for {% if times > 1 %}minutes, {{ times }} reports{% else %}more than {{ hung_seconds | int }} s
{%- endif %}
'''

[[summary]]
when = "checksum"
say = '''
{% if path %}{{ path }} is{% else %}A file is{% endif %} not what it should be: its checksum differs
{%- if times > 1 %} ({{ times | count('file') }}){% endif %}
{%- if ranks %}, as {{ ranks | ranks }} found{% endif %}
'''

[[summary]]
when = "error"
say = '''
File access failed{% if ranks %} on {{ ranks | ranks }}{% endif %}: {{ error }}
{%- if folder %} ({{ files | count('file') }} in {{ folder }})
{%- elif path %} ({{ path }}){% endif %}
'''

[[summary]]
say = '''
{% if filesystem == 'lustre' %}Lustre server{% elif filesystem == 'nfs' %}NFS server
{%- elif filesystem == 'cifs' %}SMB server{% elif filesystem == 'ceph' %}Ceph server
{%- elif filesystem == 'gpfs' %}GPFS{% elif filesystem == 'gluster' %}Gluster brick
{%- else %}File server{% endif %}
{% if server %}{{ server }}{% endif %}
{% if evicted %}evicted {% if hosts %}{{ hosts | names }}{% else %}this client{% endif %}
{%- else %}
{%- if filesystem == 'gpfs' %}lost the file system
{%- elif seconds is none %}stopped answering
{%- if unheard_seconds %} and was not heard of for {{ unheard_seconds | round | int | duration }}
{%- endif %}
{%- else %}did not answer for {{ seconds | round | int | duration }}
{%- if hung %}, and programs were blocked in it{% endif %}{% endif %}
{%- if hosts %}, as seen by {{ hosts | names }}{% endif %}
{%- endif %}
'''

[[step]]
when = "severity == 'info'"
say = "Nothing to do unless it repeats: the server came back, and programs waited for it."

[[step]]
when = "filesystem == 'nfs' and severity != 'info'"
say = '''
Check the NFS server{% if server %} {{ server }}{% endif %} and the network to it
{%- if hosts %} from {{ hosts | names }}{% endif %}.
'''
run = ["rpcinfo -t {{ server }} nfs", "showmount -e {{ server }}", "nfsstat -m"]

[[step]]
when = "filesystem == 'lustre' and severity != 'info'"
say = '''
Check the state of the Lustre client{% if hosts %} on {{ hosts | names }}{% endif %}, the network to
{% if server %}{{ server }}{% else %}the server{% endif %}, and the server's own log of that time
{%- if evicted %}: it evicts a client that does not answer{% endif %}.
'''
run = [
  "lfs check servers",
  """{% if server and '@' in server %}lctl ping {{ server }}{% else %}lctl get_param
  *.{{ server }}-*.import{% endif %}""",
  "lctl list_nids",
]

[[step]]
when = "filesystem == 'gpfs' and severity != 'info'"
say = '''
Check whether {% if hosts %}{{ hosts | names }}{% else %}the node{% endif %} still
{{ hosts | agree('belongs', 'belong') if hosts else 'belongs' }} to the cluster, and why its disk
lease or mount was lost.
'''
run = ["mmgetstate -a", "mmhealth node show", "tail -n 100 /var/adm/ras/mmfs.log.latest"]

[[step]]
when = "filesystem == 'ceph' and evicted"
say = '''
Mount the file system again{% if hosts %} on {{ hosts | names }}{% endif %}: {{ server }} has thrown
the client out, and what it had not written is lost. Find out why it had not answered in time.
'''
run = [
  "findmnt -t ceph",
  "ceph tell {{ server | replace('mds', 'mds.') }} client ls",
  "ceph health detail",
]

[[step]]
when = "filesystem == 'ceph' and server and severity != 'info' and not evicted"
say = "Check the health of the Ceph cluster and of {{ server }}."
run = ["ceph health detail", "ceph fs status"]

[[step]]
when = "filesystem == 'gluster' and severity != 'info'"
say = '''
Check whether the bricks of the volume are up, and the network to the server of this one; then what
is still to be healed.
'''
run = ["gluster volume status", "gluster volume heal {{ server.split('-')[0] }} info summary"]

[[step]]
when = "filesystem == 'cifs' and server and severity != 'info'"
say = "Check the SMB server {{ server }} and the network to it."
run = ["nc -zv {{ server }} 445", "cat /proc/fs/cifs/DebugData"]

[[step]]
when = "filesystem == 'fuse'"
say = '''
Look at the process that serves the FUSE file system{% if hosts %} on {{ hosts | names }}{% endif %}
(s3fs, gcsfuse, sshfs, JuiceFS), and at what it fetches the files from: {{ process }} is waiting for
its answer.
'''
run = [
  "findmnt -t fuse,fuse.s3fs,fuse.gcsfuse,fuse.sshfs,fuse.juicefs",
  "find /sys/fs/fuse/connections -name waiting -exec grep -H . {} +",
]

[[step]]
when = "error == 'Stale file handle'"
say = '''
Find out who removed or replaced {% if path %}{{ path }}{% else %}the file{% endif %} on the server
while it was open (a cleanup job, a restored snapshot, a moved export); mount again if other files
fail too.
'''
run = ["ls -l {{ path }}", "findmnt -T {{ path }}", "findmnt -t nfs,nfs4,lustre"]

[[step]]
when = "error == 'Transport endpoint is not connected'"
say = '''
Mount {% if path %}the file system of {{ path }}{% else %}the FUSE file system{% endif %} again: the
process that serves it (s3fs, gcsfuse, blobfuse, JuiceFS) died. Look for the OOM killer, and at its
own log.
'''
run = ["findmnt -t fuse,fuse.s3fs,fuse.gcsfuse", "dmesg -T | grep -iE 'killed process|fuse'"]

[[step]]
when = "error == 'Cannot send after transport endpoint shutdown'"
say = '''
Look for an eviction in the kernel log{% if hosts %} of {{ hosts | names }}{% endif %}: a Lustre
server that evicted the client makes its reads and writes fail like this.
'''
run = ["dmesg -T | grep -i lustre | tail -n 50", "lfs check servers"]

[[step]]
when = "on_medium"
say = '''
Check the disk that is mounted there, its cable and its power: it is one of the machine itself, and
what it cannot read now it will not read later. Copy what can still be read first.
'''
run = ["findmnt -T {{ path }}", "sudo smartctl -a $(findmnt -n -o SOURCE -T {{ path }})"]

[[step]]
when = "error in ('Remote I/O error', 'Input/output error')"
say = '''
Look in the kernel log{% if hosts %} of {{ hosts | names }}{% endif %} for the file system or disk
that failed{% if path %}: {{ path }} is on it{% endif %}.
'''
run = ["findmnt -T {{ path }}", "dmesg -T | grep -iE 'i/o error|nfs|lustre|fuse' | tail -n 50"]

[[step]]
when = "checksum"
say = '''
Fetch {% if path %}{{ path }}{% else %}the file{% endif %} again and compare once more: what differs
again is damaged at its source, or the expected sum is another version's. Use a tool that compares
checksums by itself at every transfer.
'''
run = ["sha256sum {{ path }}", "rclone check --checksum SOURCE DESTINATION"]

[[step]]
when = "severity != 'info' and not checksum"
say = '''
Check that the checkpoints written at that time are complete, and start again from one that loads.
'''
*/
select
    evidence,
    "at",
    until,
    hosts,
    case
        when evicted or not is_back
        then 'critical'
        when coalesce(seconds, 0) >= 120 or hung
        then 'warning'
        else 'info'
    end as severity,
    case when hung then true end as hung,
    server as device,
    server,
    filesystem,
    case when evicted then true end as evicted,
    case when is_back then seconds end as seconds,
    case when not is_back then unheard_seconds end as unheard_seconds,
    times
from file_server_outage
union all by name
select
    evidence,
    "at",
    until,
    ranks,
    hosts,
    case
        when error in ('Input/output error', 'Connection timed out') then 'probable'
    end as confidence,
    path,
    files,
    folder,
    case when error = 'Input/output error' then on_medium end as on_medium,
    error,
    errno,
    times
from storage_exception
union all by name
from storage_hang
union all by name
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list_sort(list(distinct rank) filter (rank is not null)) as ranks,
    list(distinct host) filter (host is not null) as hosts,
    any_value(path order by file_id, line_no) as path,
    any_value(error order by file_id, line_no) as checksum,
    count(*) as times
from checksum_failure
having count(*) > 0
union all by name
-- in words that no grammar knows
select evidence, "at", path, explains, told, confidence, otherwise
from told_cause
where what = 'storage'
