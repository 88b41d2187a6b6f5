"""`aoci-agent replay judge`: a model looks at the changes of a run for defects that tests do not show."""

import asyncio
import sys
from collections.abc import Sequence

from aoci_agent.agent.budget import Budget, amount
from aoci_agent.agent.limits import Limits, Stop
from aoci_agent.agent.models.model import Model
from aoci_agent.agent.spending import Spending
from aoci_agent.assembly import choose_model
from aoci_agent.base.errors import BadUsage, Exit, ForUser, NotPossible
from aoci_agent.base.git import Repository
from aoci_agent.base.places import Places
from aoci_agent.base.secrets import Mask
from aoci_agent.base.terminal import one_line
from aoci_agent.bench import Launch
from aoci_agent.cli.arguments import Arguments
from aoci_agent.cli.replay_places import consent, repository_of, run_named, runs_home, width_of
from aoci_agent.config import environment, load_settings
from aoci_agent.evals.replay.judge import CLASSES, Judgement, version
from aoci_agent.evals.replay.judge_run import Judge, Pending, ToJudge, ahead, to_judge
from aoci_agent.evals.replay.store import RunFolder
from aoci_agent.tools.places import counted

QUESTION = "send {}, with task and fix, to {}?"
_WIDTH = 120  # of a line of progress


def judge(arguments: Arguments) -> int:
    """Judge every change that this model has not judged under this rubric, in the newest run or the one named."""
    repository = repository_of(arguments.cwd)
    env = environment()
    places = Places(env)
    folder = run_named(runs_home(places, repository), arguments.name)
    settings = load_settings(places, env, {})
    launch = Launch(
        *(repository.root, settings, places, env),
        record_to=arguments.record_responses,
        replay_from=arguments.fake_responses,
    )
    name = arguments.model or settings.model
    if not name and launch.replay_from is None:
        raise BadUsage("no model is named", "--model NAME")
    model = choose_model(launch, name)
    limits = Limits(
        cost=arguments.max_cost,
        tokens=arguments.max_tokens,
        turn_steps=None,
        day_cost=settings.day_max_cost,
        day_tokens=settings.day_max_tokens,
    )
    found = _found(folder, repository, model, Mask.of(env))
    _say_ahead(folder, found, model)
    if not found.pending:
        return Exit.DONE
    consent(QUESTION.format(counted(len(found.pending), "change"), model.name), given=arguments.yes)
    budget = Budget(limits, Spending(places.data / "spending"))
    with folder.held():
        return asyncio.run(_run(Judge(folder, model, budget), found.pending, model))


def _found(folder: RunFolder, repository: Repository, model: Model, mask: Mask) -> ToJudge:
    try:
        return to_judge(folder, repository, model.name, mask)
    except NotPossible as error:
        raise ForUser(str(error), "fetch the commits of the tasks") from error


def _say_ahead(folder: RunFolder, found: ToJudge, model: Model) -> None:
    """What there is to do, what it will take, and what speaks against this judge."""
    told = f"run {folder.path.name}: {counted(len(found.pending), 'change')} to judge under {version()}"
    kept = f", {found.judged} are judged" if found.judged else ""
    empty = f", {counted(found.unchanged, 'cell')} changed nothing" if found.unchanged else ""
    print(f"{told}{kept}{empty}", file=sys.stderr)
    if model.name in folder.run().models:
        print(f"note: {model.name} judges its own work", file=sys.stderr)
    if found.pending:
        tokens, dollars = ahead(found.pending, model)
        price = "price not known" if dollars is None else amount("cost", dollars)
        print(f"estimate: about {tokens:,} tokens, {price}, counted here", file=sys.stderr)


async def _run(judge: Judge, pending: Sequence[Pending], model: Model) -> Exit:
    done = 0

    def tell(one: Pending, made: Judgement | str) -> None:
        nonlocal done
        done += 1
        line = made if isinstance(made, str) else _told(made)
        shown = f"  {done}/{len(pending)}  {one.cell.name}  {line}"
        print(one_line(shown, width_of(sys.stderr, _WIDTH)), file=sys.stderr, flush=True)

    try:
        failed = await judge.run(pending, tell)
    except Stop as stop:
        why = stop.message.partition(";")[0]
        print(f"{why}; {len(pending) - done} are left for another time", file=sys.stderr)
        return Exit.LIMIT
    finally:
        await model.close()
        spent = judge.meter.session
        dollars = "price not known" if spent.cost is None else amount("cost", spent.cost)
        print(f"used: {spent.tokens:,} tokens, {dollars}", file=sys.stderr)
    print("aoci-agent replay report")
    return Exit.FAILED if failed else Exit.DONE


def _told(made: Judgement) -> str:
    """`multi-path, schema; 1 of 5 void`; "no defect" only where the answer is no for every class."""
    yes, void = made.said("yes"), made.said("void")
    told = [", ".join(yes)] if yes else [] if void else ["no defect"]
    return "; ".join([*told, *([f"{len(void)} of {len(CLASSES)} void"] if void else [])])
