"""Jobs that are still running: their processes captured, their logs followed."""
