"""The terminal screen: renders events and answers approvals, nothing else."""
