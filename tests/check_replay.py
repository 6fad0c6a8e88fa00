#!/usr/bin/env python3
"""Proves a replay from its outside.

    check_replay.py --replay PROGRAM [WORKLOAD] [any option of replay]
    check_replay.py --json FILE --decisions FILE WORKLOAD [options as replayed]

Reads the workload, the tree and the nodes by itself (nothing of the library is
used), then goes through the decision log once, row by row, holding books of its
own. What it proves of every run:

  tasks      every task of every job that was not rejected started once, ended
             once, on the node where it started, exactly its run time later
  rows       the columns that a row of its kind has, the amount of the job's tasks,
             a reason that such a run has
  order      sequence numbers without gaps, times that never run back, nothing
             before its submission or its admission; with --until nothing after
             it, and all that was due by then
  nodes      no node holds more than it has, in any kind, at any instant, and no
             task runs outside its job's partition
  limits     no queue holds more than its limit, in any kind, at any instant
  admission  no more applications run in a queue than it allows
  rejected   exactly the jobs that fit no node, or no limit, and for that reason
  figures    jobs, tasks, skipped, span, cluster, makespan, work, delays (nearest
             rank), peaks and fair_s + starved_s, for every queue, are the JSON's
  digest     the JSON's digest is XXH64 (seed 0) over the records: seq and time 64
             bits, kind 32, job, task, count, queue, node 64 each, the amounts of
             one task 64 each, reason 32, little endian (up to 400,000 rows)

and where it can be judged, saying so:

  idle       nobody waits while an allowed place stays free for longer than a
             heartbeat: there is never a node whose last event, and a shape of
             tasks whose wait, are both older than a period, and that fit each
             other under all limits (leaves with user limits are left out)
  fifo       in a leaf ordered by fifo nothing starts while an earlier job of
             the same priority and partition, whose tasks are in no kind larger,
             has open tasks
  gangs      with --gang-over: the rows of a job's allocation follow each other at
             one instant, in one partition, until all its tasks run; on no node
             more of them than the option says; nothing waits while, for longer
             than a heartbeat in which nothing happens, nodes and limits hold it.
             Its idle jobs are judged by this alone, its queues not by drf
  places     with --place pack or spread: each task goes to the node of the
             partition with least, or most, left of the kind of which it takes the
             largest part there, of all that hold it (ties: the first)
  drf        with leaves right below the root in drf order: what starts last in a
             decision is of the least dominant share over weight among the leaves
             that have something that fits the node (ties: the first leaf)

With --preempt these three are not judged: room is kept for some while others
wait, what was killed waits anew, and no row says when room kept shrinks. Instead

  kills      end the last tasks of an allocation at that instant, give back what
             they held, and are followed by a requeue of the same tasks, which may
             start anew and then run their whole time; a gang is killed whole
  notices    are of tasks of an allocation that runs, in front of those that were
             told before; a kill is only of tasks that were told a grace ago or
             longer and not let off since (what is withdrawn was told last);
             without a grace of any
  rounds     notices and kills come a whole number of periods after the first
             submission
  victims    a queue that is told has, in some kind, more than its guarantee in
             that partition, and it, and all above it, may be preempted from.
             This is necessary, not sufficient: targets are not computed.
             Imbalance: where a family says no guarantee of a kind, it is the
             weight's part of the parent's. Amounts guaranteed over several
             partitions count as none; not judged with --preempt-inside
  rooms      what is withdrawn or used of rooms was kept; not judged is how long
             they are kept, and that nobody else gets them
  lost       notified, killed, withdrawn and lost_work are the JSON's
  service    a queue below its guarantee that wants a task, and for which
             somebody surely gives, is served within what the settings promise
             (replay_check/service.py says what is judged)

The last line is "PASS ..." or the first fault as "FAIL ...". Exit 0, 1, or 2
when the program itself failed.
"""
import sys

from replay_check.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], __doc__))
