"""`aoci-agent trust`: show what a folder would run by itself, and decide."""

import json
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path

from aoci_agent.base.errors import BadUsage, Exit
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.base.terminal import clean
from aoci_agent.base.trust import Fingerprint, deciding, fingerprint
from aoci_agent.base.trust_store import State, Trust, TrustStore
from aoci_agent.bench import work_root
from aoci_agent.cli.arguments import Arguments
from aoci_agent.config import environment, load_settings
from aoci_agent.tui.trust_lines import TURNS_ON, WITHOUT, headline, what_lines


def run(arguments: Arguments) -> int:
    """Do what was asked; the exit code says whether the folder is trusted now."""
    env = environment()
    places = Places(env)
    store = TrustStore(places.data / "trust.json")
    if arguments.listed:
        return _list(store, as_json=arguments.json)
    root = work_root(arguments.cwd)
    servers = load_settings(places, env, {}).navigation != "static"
    found = fingerprint(root, Repository.find(root))
    trust = store.decide(root, found, deciding(servers=servers))
    if arguments.revoke:
        store.revoke(root)
        trust = Trust(State.UNKNOWN, found.items)
    if not arguments.status and not arguments.revoke and not trust.given:
        trust = _decide(arguments, store, root, found, trust)
    _show(root, trust, as_json=arguments.json)
    return Exit.DONE if trust.given or arguments.revoke else Exit.DENIED


def _decide(
    arguments: Arguments, store: TrustStore, root: Path, found: Fingerprint, trust: Trust
) -> Trust:
    """The folder's state after the person answered. Raises BadUsage where nobody can."""
    if not arguments.yes:
        if arguments.json or not (sys.stdin.isatty() and sys.stdout.isatty()):
            raise BadUsage(
                "nobody is there to answer whether this folder is trusted",
                "--yes trusts it, --status shows what it would run",
            )
        if not _asked(root, trust):
            store.record(root, found, trusted=False)
            return Trust(State.REFUSED, found.items)
    store.record(root, found, trusted=True)
    return Trust(State.TRUSTED, found.items)


def _asked(root: Path, trust: Trust) -> bool:
    for line in (headline(str(root), trust.state), *what_lines(trust), TURNS_ON, WITHOUT):
        print(line)
    with suppress(termios.error):  # what was typed before the question is no answer to it
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    try:
        return input("Trust this folder? [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def _show(root: Path, trust: Trust, *, as_json: bool) -> None:
    if not as_json:
        for line in (headline(str(root), trust.state), *what_lines(trust)):
            print(line)
        return
    what = [
        {"kind": item.kind, "name": item.name, "who": item.who, "compared": bool(item.digest)}
        for item in trust.what
    ]
    shown = {"folder": str(root), "state": trust.state, "changed": trust.changed, "what": what}
    print(json.dumps(shown))


def _list(store: TrustStore, *, as_json: bool) -> int:
    rows = [
        {"folder": one.folder, "trusted": one.trusted, "at": time.strftime("%Y-%m-%d %H:%M", time.localtime(one.at))}
        for one in store.decided()
    ]  # fmt: skip
    if as_json:
        print(json.dumps(rows))
        return Exit.DONE
    for row in rows:
        word = "trusted" if row["trusted"] else "refused"
        print(clean(f"{word}  {row['at']}  {row['folder']}"))
    if not rows:
        print("no folder was decided about yet")
    return Exit.DONE
