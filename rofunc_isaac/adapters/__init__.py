"""Our environments for other people's trainers: docs/other_trainers.md. One library a file.

Each file imports its library, which must be installed: `pip install 'rofunc-isaac[adapters]'`.
"""
