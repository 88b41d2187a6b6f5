"""What a session says before the first question."""

from aoci_agent.agent.session import Session


def own_notices(session: Session) -> list[str]:
    """Of itself alone: what is said of trust and of a weaker sandbox depends on the machine."""
    return [notice.text for notice in session.notices[len(session.safety.notices) :]]
