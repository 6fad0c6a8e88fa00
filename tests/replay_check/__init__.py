"""The proof of a replay from its outside: check_replay.py is its command."""
