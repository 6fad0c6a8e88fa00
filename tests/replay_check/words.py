"""The words of the log, and the numbers that a digest has for them."""
import re

KIND = {"admit": 1, "reject": 2, "allocate": 3, "reserve": 4, "notify": 5,
        "kill": 6, "withdraw": 7, "requeue": 9, "finish": 100}
RULE = "its rule does not take this node"
HELD = "it was reserved for the ask"
TURN = "its turn"
NEEDED = "a queue below its share needs it"
REASON = {"": 0, TURN: 1, "no node is large enough": 3,
          "larger than the limit of a queue": 5, HELD: 17,
          NEEDED: 18,
          "no longer needed": 19,
          "all of a gang over nodes at once": 34,
          "above its user's share": 22,
          "matters less than what waits": 23, RULE: 28,
          "below the same limit as a queue below its share": 24}
DIGEST_ROWS = 400000

#: Seq, time, kind, task, count and node of a row: those of a job as a whole name
#: no tasks, those of room on a node none in particular.
FORM = re.compile("[0-9]+,[0-9]+,(?:(?:admit|reject),,,|reserve,,[1-9][0-9]*,[0-9]+|"
                  "withdraw,[0-9]*,[1-9][0-9]*,[0-9]+|"
                  "(?:allocate|finish|notify|kill|requeue),[0-9]+,[1-9][0-9]*,[0-9]+)")

#: What rows of these kinds may say; rejects and starts are judged by themselves.
VICTIM = {NEEDED, "above its user's share", "matters less than what waits",
          "below the same limit as a queue below its share"}
SAID = {"admit": {TURN}, "finish": {""}, "reserve": {NEEDED}, "notify": VICTIM,
        "kill": VICTIM, "requeue": VICTIM, "withdraw": {"no longer needed"}}
