/*
title = "The program ended as planned"
severity = "info"
confidence = "definite"
status = "stable"
about = """
The program left by itself because somebody asked it to: a kill-switch file was there, the time that
it may take was over (--exit-duration-in-mins), or the scheduler's warning signal arrived (sbatch
--signal=USR1@600). It is no crash, and no failure of the job.
"""
false_positives = "It is context only: something else may have gone wrong before."
references = [
  "https://slurm.schedmd.com/sbatch.html#OPT_signal",
  "https://github.com/stas00/ml-engineering/blob/master/training/fault-tolerance/README.md",
]
summary = '''
The program ended as planned{% if step %} at step {{ step }}{% endif %}
{%- if ended_by == 'kill_switch' %}: it found its kill-switch file{% if path %} {{ path }}{% endif
%}
{%- elif ended_by == 'duration' %}: the time that it may take was over
{%- else %}: it was sent a warning signal, and left in time{% endif %}'''

[[step]]
when = "ended_by == 'kill_switch'"
say = "Ask who put the file there; remove it, or every further job leaves at its start."
run = ["ls -l {{ path }}", "rm {{ path }}"]

[[step]]
when = "ended_by != 'kill_switch'"
say = '''Start the next part from the checkpoint that it saved; a job array that runs one job at a
time chains them by itself.'''
run = ["sbatch --array=1-10%1 job.slurm"]
*/
select
    list(line_at(file_id, line_no) order by file_id, line_no)[1:5] as evidence,
    min(time) as "at",
    ended_by,
    max(step)::bigint as step,
    any_value(nullif(regexp_replace(path, '[\].]+$', ''), '') order by file_id, line_no) filter (
        ended_by = 'kill_switch'
    ) as path
from training_event
where ended_by in ('kill_switch', 'duration', 'signal')
group by ended_by
