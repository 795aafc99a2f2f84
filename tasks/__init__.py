"""The tasks that ship with the suite, one file each."""
