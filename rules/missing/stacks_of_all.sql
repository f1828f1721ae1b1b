/*
what = "stacks of all ranks"
why = "they show which rank is not where the others are waiting"
how = "while it hangs, on every host"
run = ["pgrep -f YOUR_SCRIPT | xargs -I {} sudo py-spy dump --pid {} > pyspy.$(hostname).txt"]
order = 5
*/
select hangs
from open_question
where
    hangs
    and not settled
    and not exists (from stack_frame)
    and not exists (from suspect_without_stack)
    and not exists (from attach_refused_by_tool where tool = 'py-spy')
