/*
title       = "A local disk or its file system failed"
severity    = "critical"
confidence  = "definite"
status      = "stable"
explains    = ["hang.checkpoint", "hang.dataloader", "crash", "host.disk_full", "loss.rollback", "perf.slowdown"]
explains_here = ["host.cpu_stall", "host.kernel_panic"]
about       = "The disk did not complete requests, or the file system found itself damaged. After a remount read-only every write on it fails, with errors that read like missing permissions."
remedy      = "Take the node out; look at smartctl -a or nvme smart-log of the device; run fsck before it is used again; check that the last checkpoint written there is whole."
falsely     = "A removable or network block device that was detached on purpose."
references  = ["https://docs.kernel.org/admin-guide/ext4.html"]
*/
WITH errors AS (
  SELECT *, CASE kind WHEN 'read_only' THEN 1 WHEN 'fs_error' THEN 2 WHEN 'disk_io' THEN 3 ELSE 4 END AS weight
  FROM kernel_event_of_boot WHERE kind IN ('fs_error', 'read_only', 'disk_io', 'nvme', 'beyond_end') AND NOT regexp_matches(coalesce(device, ''), '^(?:(?:loop|sr|fd|ram|zram|nbd|cdrom|mtdblock)[0-9]|mmcblk[0-9]+(?:rpmb|boot|gp))')   -- a partition that only a secure world reads
), grouped AS (
  SELECT host, boot, CASE WHEN host IS NULL THEN file_id END AS own_file, arg_min(e, (weight, line_no)) AS worst, arg_min(e, line_no) AS earliest, count(*) AS times, list_sort(list(DISTINCT device) FILTER (device IS NOT NULL)) AS devices, min(time) AS "at", max(time) AS until,
         bool_or(kind = 'read_only') AS read_only, bool_or(message LIKE '%Removing%' OR message LIKE '%controller is down%' OR message LIKE '%not ready%' OR message LIKE '%isabling device%') AS gone,
         list(line_at(file_id, line_no) ORDER BY line_no)[1:20] AS evidence, bool_or(kind NOT IN ('nvme', 'beyond_end')) AS failed
  FROM errors e GROUP BY ALL
)
SELECT concat(coalesce(host || ': ', ''), 'disk ', coalesce(worst.device, earliest.device, devices[1], '(not named)'), ': ', CASE WHEN read_only THEN 'its file system is read-only now' WHEN gone THEN 'the controller does not answer' WHEN worst.kind = 'fs_error' THEN 'file system error' WHEN worst.kind = 'disk_io' THEN 'I/O errors' ELSE worst.message END,
              CASE WHEN times > 1 THEN format(' ({} lines)', times) ELSE '' END) AS summary,
       evidence, "at", until, CASE WHEN host IS NOT NULL THEN [host] ELSE [] END AS hosts, CASE WHEN failed OR gone THEN 'critical' ELSE 'warning' END AS severity,
       coalesce(worst.device, earliest.device, devices[1]) AS device, devices, read_only, times, worst.message AS message
FROM grouped
