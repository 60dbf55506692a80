"""Settings: options, configuration files, house styles."""
