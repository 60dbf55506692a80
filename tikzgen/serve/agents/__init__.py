"""tikzgen for agents: the same verbs as tools, with the files of one folder and nothing else."""
