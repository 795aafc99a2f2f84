"""`python -m rofunc_isaac run SCRIPT` and `python -m rofunc_isaac isaacgym-report FOLDER`."""

from __future__ import annotations

import sys
from typing import List

from rofunc_isaac.compat import report
from rofunc_isaac.errors import UserError, did_you_mean

USAGE = """\
usage: python -m rofunc_isaac run SCRIPT [ARGUMENT ...]
       python -m rofunc_isaac isaacgym-report PATH

run              run a script written for Isaac Gym on MuJoCo; the arguments are the script's own
isaacgym-report  what the code in a file or folder calls of Isaac Gym, and what of it is there

See docs/isaacgym.md."""

EXIT_USER_ERROR = 2


def main(words: List[str]) -> None:
    """Carry out one command line, given without the program's name.

    A mistake in it ends as `error: ...` on stderr and exit status 2. A script's own errors are left
    as they are.
    """
    if not words or words[0] in ("-h", "--help"):
        print(USAGE)
        return
    command, rest = words[0], words[1:]
    try:
        if command == "isaacgym-report":
            print(report.report(_only(rest, command)))
            return
        if command != "run":
            known = ("run", "isaacgym-report")
            raise UserError(f"no command {command}{did_you_mean(command, known)}\n{USAGE}")
        if not rest:
            raise UserError(f"run needs a script\n{USAGE}")
        # Not before: it brings NumPy and torch, and the report needs neither.
        from rofunc_isaac.compat import script

        path = script.prepare(rest[0], rest[1:])
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(EXIT_USER_ERROR)
    script.run_as_main(path)


def _only(words: List[str], command: str) -> str:
    if len(words) != 1:
        raise UserError(f"{command} takes one path, got {len(words)}\n{USAGE}")
    return words[0]


if __name__ == "__main__":
    main(sys.argv[1:])
