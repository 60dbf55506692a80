"""Commands about the environment: configuration, tools, shell completion and agents."""
