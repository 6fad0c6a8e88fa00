"""Slurm: `conf` reads slurm.conf, `accounts` what sacctmgr writes and reads."""
