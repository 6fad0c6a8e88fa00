"""The words of the log, and the numbers that a digest has for them."""

KIND = {"admit": 1, "reject": 2, "allocate": 3, "reserve": 4, "notify": 5,
        "kill": 6, "withdraw": 7, "requeue": 9, "finish": 100}
RULE = "its rule does not take this node"
HELD = "it was reserved for the ask"
REASON = {"": 0, "its turn": 1, "no node is large enough": 3,
          "larger than the limit of a queue": 5, HELD: 17,
          "a queue below its share needs it": 18,
          "no longer needed": 19,
          "all of a gang over nodes at once": 34,
          "above its user's share": 22,
          "matters less than what waits": 23, RULE: 28,
          "below the same limit as a queue below its share": 24}
DIGEST_ROWS = 400000
