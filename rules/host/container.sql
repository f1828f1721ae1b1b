/*
title = "A container could not start, or was removed"
severity = "critical"
confidence = "definite"
status = "stable"
explains = ["network.connect_failure", "network.peer_lost", "hang.init_incomplete"]
about = """
The image could not be fetched or opened, the runtime could not set up the GPU, or Kubernetes
evicted the pod or killed it because a probe failed; or no node, volume or instance was available,
and the job never ran.
"""
false_positives = "An earlier try failed and a later one ran."
references = ["https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/"]

[[summary]]
when = "told"
say = '''
A container could not start or was removed: {{ told | cut(200) }}
'''

[[summary]]
when = "reason == 'image'"
say = '''
{% if image %}Image {{ image }}{% else %}The image{% endif %}
{% if job %}of pod {{ job }}{% endif %} could not be pulled
'''

[[summary]]
when = "reason == 'runtime'"
say = '''
The container runtime failed{% if job %} for {{ job }}{% endif %}: {{ message | cut(300) }}
'''

[[summary]]
when = "reason == 'evicted'"
say = '''
{% if job %}Pod {{ job }}{% else %}A pod{% endif %} was evicted
{%- if hosts %} from {{ hosts | names }}{% endif %}: {{ message | cut(200) }}
'''

[[summary]]
when = "reason == 'pressure'"
say = '''
{% set short = {
  'MemoryPressure': 'memory', 'DiskPressure': 'room on its disk', 'PIDPressure': 'process ids'
} %}
{% if hosts %}{{ hosts | names }} {{ hosts | agree('is', 'are') }}{% else %}A node is{% endif %}
short of {{ short.get(message, message) }} ({{ message }}): Kubernetes evicts pods then
'''

[[summary]]
when = "reason == 'probe_failed'"
say = '''
Kubernetes killed {% if job %}container {{ job }}{% else %}a container{% endif %}: {{ message }}
'''

[[summary]]
when = "reason == 'crash_loop'"
say = '''
{% if job %}Pod {{ job }}{% else %}A container{% endif %} ends each time Kubernetes starts it; why
is in its own log
'''

[[summary]]
when = "reason == 'capacity'"
say = '''
The cloud had no instance to give: {{ meaning or message }}
'''

[[summary]]
when = "reason in ('unschedulable', 'volume')"
say = '''
{% if job %}Pod {{ job }}{% else %}A pod{% endif %} never started:
{{ meaning or message }} ({{ message | cut(200) }})
'''

[[step]]
when = "told"
say = '''
Look at what the message names (image, volume, device) from the node that the container was to run
on, then start the job again.
'''

[[step]]
when = "reason in ('unschedulable', 'capacity')"
say = '''
Ask for what there is (fewer or other GPUs, another zone), reserve it, or wait: the job did not
fail, it never ran.
'''
run = [
  "kubectl describe pod {{ job }}",
  "kubectl describe nodes | grep -A 9 'Allocated resources'",
]

[[step]]
when = "reason == 'pressure'"
say = '''
See what takes it{% if hosts %} on {{ hosts | names }}{% endif %}, and whether pods of the job were
evicted for it.
'''
run = [
  "kubectl get events -A --field-selector reason=Evicted",
  "kubectl describe node {{ hosts[0] }}",
]

[[step]]
when = "reason == 'crash_loop'"
say = "Read what the container printed before it ended, and the code that it ended with."
run = ["kubectl logs --previous {{ job }}", "kubectl describe pod {{ job }}"]

[[step]]
when = "reason == 'volume' and message and message.startswith('mount')"
say = '''
Mount the same by hand{% if hosts %} on {{ hosts | names }}{% endif %}: the file server has to be
reached from there, and has to let it in. The mounting arguments above name server and path.
'''
run = ["kubectl describe pod {{ job }}", "showmount -e NFS_SERVER", "nc -vz NFS_SERVER 2049"]

[[step]]
when = "reason == 'volume' and not (message and message.startswith('mount'))"
say = "Check that the claim is bound, and that its storage can be reached from the node."
run = ["kubectl get pvc,pv", "kubectl describe pod {{ job }}"]

[[step]]
when = "reason == 'image' and scheduler == 'docker'"
say = '''
Check the image's name and tag, and that the host may pull it: a login to the registry, its limit of
pulls, the way to it, free disk.
'''
run = ["docker login", "docker pull {{ image }}", "df -h /var/lib/docker"]

[[step]]
when = "reason == 'image' and scheduler != 'docker'"
say = '''
Check the image's name and tag, and that the node may pull it: registry credentials
(imagePullSecrets), network, free disk.
'''
run = [
  "kubectl describe pod {{ job }}",
  "skopeo inspect docker://{{ image }}",
  "kubectl get secrets --field-selector type=kubernetes.io/dockerconfigjson",
]

[[step]]
when = "reason == 'runtime' and ('nvml' in message or 'driver not loaded' in message)"
say = '''
Load the NVIDIA driver{% if hosts %} on {{ hosts | names }}{% else %} on the node that the container
was to start on{% endif %}: the runtime found none, or one of another version. Keep jobs off the
node until nvidia-smi works there.
'''
run = ["nvidia-smi", "lsmod | grep nvidia", "dmesg -T | grep -i nvrm | tail"]

[[step]]
when = "reason == 'runtime' and 'could not select device driver' in message"
say = "Install the NVIDIA Container Toolkit and register it with the container runtime."
run = [
  "sudo nvidia-ctk runtime configure --runtime=docker",
  "sudo systemctl restart docker",
  "docker run --rm --gpus all ubuntu nvidia-smi",
]

[[step]]
when = '''
reason == 'runtime' and scheduler == 'kubernetes' and 'device driver' not in message
'''
say = "Look at the pod's events and at the device plugin on its node."
run = [
  "kubectl describe pod {{ job }}",
  "kubectl get events --sort-by=.lastTimestamp",
  "kubectl get pods -A -o wide | grep -E 'device-plugin|gpu-operator'",
]

[[step]]
when = "reason == 'runtime' and scheduler in ('pyxis', 'enroot') and 'ermission denied' in message"
say = '''
Let the job's user read what the message names{% if hosts %} on {{ hosts | names }}{% endif %}: the
folders that enroot unpacks to (ENROOT_DATA_PATH, ENROOT_RUNTIME_PATH) have to be the user's own,
and the mount of their file system has to allow it.
'''
run = ["cat /etc/enroot/enroot.conf", "nvidia-container-cli --version", "id"]

[[step]]
when = "reason == 'runtime' and scheduler == 'enroot' and 'returned error code: 4' in message"
say = '''
Give enroot a login for the registry, and see that the image's name and tag are right: the registry
answers, and refuses.
'''
run = ["cat ~/.config/enroot/.credentials", "enroot import docker://USER@REGISTRY#IMAGE:TAG"]

[[step]]
when = '''
reason == 'runtime' and scheduler in ('pyxis', 'enroot') and 'ermission denied' not in message
and 'returned error code: 4' not in message
'''
say = '''
Start the image by hand on one node: usually the squashfs file is missing or damaged, or the
directory for unpacked containers is full.
'''
run = ["enroot list", "env | grep ENROOT_", "df -h"]

[[step]]
when = "reason == 'runtime' and scheduler == 'slurm'"
say = '''
Look at the job's private mounts{% if hosts %} on {{ hosts | names }}{% endif %}: the directory that
job_container.conf names, whether another job of this user has taken it down, and what else on the
node (autofs, an SPANK plugin) changes mounts.
'''
run = ["cat /etc/slurm/job_container.conf", "findmnt -R -o TARGET,PROPAGATION /"]

[[step]]
when = "reason == 'runtime' and scheduler == 'docker' and 'device driver' not in message"
say = '''
Read the log of the daemon{% if hosts %} on {{ hosts | names }}{% endif %} around that time, and
start an empty container: if that fails too, it is the host, not the image.
'''
run = ["journalctl -u docker -n 100", "docker run --rm hello-world", "df -h /var/lib/docker"]

[[step]]
when = "reason == 'runtime' and scheduler == 'singularity'"
say = '''
Check that the image is whole and readable{% if hosts %} on {{ hosts | names }}{% endif %}, and that
the cache and temporary directories have room.
'''
run = ["singularity inspect --all *.sif", "df -h /tmp $SINGULARITY_CACHEDIR"]

[[step]]
when = "reason == 'evicted' and of_disk"
say = '''
Find what fills the disk of {{ hosts | names if hosts else 'the node' }}: images, logs and what pods
write into their own file system. Give the pod a request and a limit for ephemeral storage, and let
it write elsewhere.
'''
run = [
  "kubectl describe node {{ host }}",
  "kubectl describe pod {{ job }}",
]

[[step]]
when = "reason == 'evicted' and not of_disk"
say = '''
See what the node was short of (memory, ephemeral storage, a taint), and raise the pod's requests
and limits for it; equal requests and limits (class Guaranteed) are evicted last.
'''
run = [
  "kubectl describe pod {{ job }}",
  "kubectl describe node {{ host }}",
  "kubectl get events -A --field-selector reason=Evicted",
]

[[step]]
when = "reason == 'probe_failed'"
say = '''
Give the liveness probe more time (initialDelaySeconds, timeoutSeconds, failureThreshold), or remove
it: a process that loads a model or waits for its peers does not answer in time.
'''
run = ["kubectl get events --field-selector reason=Unhealthy", "kubectl get pods -o wide"]
*/
with
    -- the one pod that a file describes
    described as (
        select file_id, any_value(pod) as pod, any_value(node) as node
        from pod_place
        group by file_id
        having count(distinct pod) = 1
    ),
    -- how often the runtime said the same, at most
    failed_start as (
        select file_id, max(times) as starts
        from
            (
                select file_id, message, count(*) as times
                from scheduler_event
                where scheduler = 'pyxis'
                group by file_id, message
            )
        group by file_id
    ),
    -- the one host on which srun saw tasks of the step end, or several, one for each failed start
    ended as (
        select x.file_id, list(distinct x.host order by x.host) as ended_on
        from "exit" x
        join failed_start f using (file_id)
        where x.source = 'srun' and x.host is not null
        group by x.file_id
        having count(distinct x.host) in (1, max(f.starts))
    ),
    -- what asked for an instance gave up for want of it
    raised_capacity as (
        select distinct file_id as raised_file, line_no as raised_line from exception
    )
select
    list(line_at(s.file_id, line_no) order by s.file_id, line_no)[1:20] as evidence,
    min(time) as "at",
    max(time) as until,
    list_sort(
        list_distinct(
            flatten(
                list(
                    case
                        when coalesce(s.host, d.node) is not null
                        then [coalesce(s.host, d.node)]
                        else coalesce(x.ended_on, [])
                    end
                )
            )
        )
    ) as hosts,
    replace(s.event, 'evicting', 'evicted') as reason,
    coalesce(
        -- what mount said, below what Kubernetes says of it
        arg_max(message, line_no) filter (starts_with(message, 'mount')),
        words_of_event(arg_max(message, length(message)))
    ) as message,
    -- the node's disk, by each of the kubelet's signals for it
    case
        when
            bool_or(
                regexp_matches(
                    message,
                    'low on resource: (?:ephemeral-storage|nodefs|imagefs|containerfs|inodes)'
                )
            )
        then true
    end as of_disk,
    nullif(
        regexp_extract(
            any_value(message) filter (contains(message, 'Failed to pull image "')), '"([^"]+)"', 1
        ),
        ''
    ) as image,
    min(coalesce(job, d.pod)) as job,
    -- who started the container, not the tool that it called
    coalesce(min(scheduler) filter (scheduler <> 'kubernetes'), min(scheduler)) as scheduler,
    min_by(coalesce(k.meaning, c.meaning), line_no) as meaning,
    case
        when bool_or(raised_line is not null)
        then null
        when any_value(s.event) in ('unschedulable', 'volume', 'capacity', 'crash_loop')
        then 'warning'
    end as severity,
    case when bool_or(raised_line is not null) then ['crash.exception'] end as explains,
    case
        when any_value(s.event) = 'crash_loop'
        then 'possible'
        -- that it means to is no proof that it did
        when bool_and(s.event = 'evicting')
        then 'probable'
    end as confidence,
    count(*) as times
from scheduler_event s
left join ended x on x.file_id = s.file_id and s.scheduler = 'pyxis'
left join described d on d.file_id = s.file_id and s.scheduler = 'kubernetes'
left join kubernetes_reason k on k.reason = regexp_extract(message, '^[A-Za-z./-]+')
left join cloud_notice c on starts_with(message, c.notice) and scheduler = 'cloud'
left join
    raised_capacity r
    on r.raised_file = s.file_id
    and r.raised_line = s.line_no
    and s.event = 'capacity'
where
    s.event in ('image', 'runtime', 'evicted', 'probe_failed')
    -- the runtime works, its image lacks the command (crash.config)
    and not exists (
        from usage_error u
        where u.kind = 'command' and u.file_id = s.file_id and u.line_no = s.line_no
    )
    -- the kubelet means to, and in the end did, or nothing says that it did not
    or s.event = 'evicting'
    and not exists (
        from scheduler_event o
        where
            o.file_id = s.file_id
            and o.line_no > s.line_no
            and o.event = 'spared'
            and not exists (
                from scheduler_event e
                where e.file_id = s.file_id and e.line_no > s.line_no and e.event = 'evicted'
            )
    )
    -- why it ends, its own log tells, if there is one
    or s.event = 'crash_loop'
    and not exists (from metric)
    and not exists (from exception)
    and not exists (from container_exit)
    and not exists (from scheduler_event where event <> 'crash_loop')
    -- these are tried again until they work: nothing of a program may be there
    or s.event in ('unschedulable', 'volume', 'capacity')
    and not exists (from metric)
    -- but the one that says so
    and not exists (from exception e where e.file_id <> s.file_id or e.line_no <> s.line_no)
    and not exists (from container_exit)
    and (s.event = 'volume' or not exists (from pod_place where node is not null))
    and not exists (from container_start c where c.file_id = s.file_id and c.line_no > s.line_no)
group by replace(s.event, 'evicting', 'evicted')
union all by name
-- what kubectl tells of nodes: that a pod had to go, nobody says
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:20] as evidence,
    list(distinct host) filter (host is not null) as hosts,
    'pressure' as reason,
    message,
    any_value(scheduler) as scheduler,
    [] as explains,
    'warning' as severity,
    'possible' as confidence,
    count(*) as times
from job_event
where event = 'pressure'
group by message
union all by name
-- in words that no grammar knows
select evidence, "at", 'told' as reason, message, explains, told, confidence, otherwise
from told_cause
where what = 'container'
