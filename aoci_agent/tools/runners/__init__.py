"""How a project runs its tests, language by language."""
