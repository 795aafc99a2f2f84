"""The command line: compose the configuration, build what it names, run."""
