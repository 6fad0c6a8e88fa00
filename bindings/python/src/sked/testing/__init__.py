"""For schedulers under test: strategies, oracles, properties, machines."""
