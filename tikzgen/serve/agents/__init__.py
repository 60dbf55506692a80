"""tikzgen for agents: its commands as tools, restricted to the files of one folder."""
