"""The tools that ship with the agent. They do not import each other."""
