-- table: one row per call of the notable ones that began on one line and returned on another, or
-- never: see strace_joined.
from strace_joined(false)
