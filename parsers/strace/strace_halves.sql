-- table:
from strace_joined(false)
