#ifndef TEST_AUDIT_PLANTED_H
#define TEST_AUDIT_PLANTED_H

/* Histories with one thing wrong in each, and the same mended. */

#include "audit_text.h"

typedef struct planted {
    const char *name; /* what the scheduler did */
    int32_t code;
    const char *rows;
    const char *mended; /* NULL: none; else a history without anomaly */
    int64_t wait;       /* every bound of time */
    uint32_t kinds;     /* 0: one */
    uint32_t flags;
    uint64_t subject; /* 0: not asked for */
} planted;

#define ONE "0 node 1 a4; 0 job 1; "
#define TWO "0 node 1 a4; 0 node 2 a4; 0 job 1; 0 job 2; "
#define LINE "0 node 1 a4; 0 queue 1 v1; 0 job 1 of 1; 0 job 2 of 1; "
#define PAIR                                                                   \
    "0 node 1 a4; 0 queue 1 v1; 0 queue 2 v1; 0 job 1 of 1; 0 job 2 of 2; "
#define OWED                                                                   \
    "0 node 1 a8; 0 queue 1 v1; 0 queue 2 v1; 0 guarantee 1 a4; "              \
    "0 job 1 of 1; 0 job 2 of 2; "
/* Queue 3 of 2, below queue 1 of 4, beside queue 4; queue 5 is a stranger. */
#define NEST                                                                   \
    "0 node 1 a8; 0 queue 1 v1; 0 queue 3 of 1 v1; 0 queue 4 of 1 v1; 0 "      \
    "queue "                                                                   \
    "5 v1; 0 guarantee 1 a4; 0 guarantee 3 a2; 0 job 1 of 3; 0 job 2 of 4; 0 " \
    "job 3 of 5; "
#define HALF "0 node 1 a4; 0 queue 1; 0 limit 1 a2; 0 job 1 of 1; "

static const planted cases[] = {
    /* Nodes that hold too much. */
    {"one task larger than its node", SKED_AUDIT_CODE_NODE_OVER,
     ONE "0 tasks 1 of 1 a5; 1 start 1 on 1",
     ONE "0 tasks 1 of 1 a4; 0 start 1 on 1", 0, 0, 0, 1},
    {"the second task of two", SKED_AUDIT_CODE_NODE_OVER,
     ONE "0 tasks 1 of 1 x2 a3; 0 start 1 on 1; 0 start 1 on 1",
     ONE "0 tasks 1 of 1 x2 a2; 0 start 1 on 1; 0 start 1 on 1", 0, 0, 0, 1},
    {"a batch of five", SKED_AUDIT_CODE_NODE_OVER,
     ONE "0 tasks 1 of 1 x5 a1; 0 start 1 on 1 x5", NULL, 0, 0, 0, 1},
    {"the second kind", SKED_AUDIT_CODE_NODE_OVER,
     "0 node 1 a4,4; 0 job 1; 0 tasks 1 of 1 a1,5; 0 start 1 on 1",
     "0 node 1 a4,4; 0 job 1; 0 tasks 1 of 1 a1,4; 0 start 1 on 1", 0, 2, 0, 1},
    {"a node that shrank", SKED_AUDIT_CODE_NODE_OVER,
     ONE "0 tasks 1 of 1 a3; 1 node 1 a2; 1 start 1 on 1", NULL, 5, 0, 0, 1},
    {"resources given out before the end", SKED_AUDIT_CODE_NODE_OVER,
     ONE "0 tasks 1 of 1 x2 a4; 0 start 1 on 1; 1 start 1 on 1; 2 done 1 on 1",
     ONE "0 tasks 1 of 1 x2 a4; 0 start 1 on 1; 2 start 1 on 1; 2 done 1 on 1",
     9, 0, 0, 1},
    {"a node of nothing", SKED_AUDIT_CODE_NODE_OVER,
     "0 node 1 a0; 0 job 1; 0 tasks 1 of 1 a1; 0 start 1 on 1", NULL, 0, 0, 0,
     1},
    {"the other node is full", SKED_AUDIT_CODE_NODE_OVER,
     TWO "0 tasks 1 of 1 x3 a3; 0 start 1 on 1; 0 start 1 on 2; 0 start 1 on 2",
     NULL, 0, 0, 0, 2},
    /* Queues. */
    {"a leaf above its limit", SKED_AUDIT_CODE_QUEUE_OVER,
     HALF "0 tasks 1 of 1 a3; 0 start 1 on 1",
     HALF "0 tasks 1 of 1 a2; 0 start 1 on 1", 0, 0, 0, 1},
    {"one task too many in a leaf", SKED_AUDIT_CODE_QUEUE_OVER,
     HALF "0 tasks 1 of 1 x3 a1; 0 start 1 on 1 x2; 1 start 1 on 1",
     HALF "0 tasks 1 of 1 x3 a1; 0 start 1 on 1 x2; 1 done 1 on 1; 1 start 1 "
          "on 1",
     0, 0, 0, 1},
    {"a parent above its limit", SKED_AUDIT_CODE_QUEUE_OVER,
     "0 node 1 a8; 0 queue 9; 0 limit 9 a3; 0 queue 1 of 9; 0 queue 2 of 9; 0 "
     "job 1 of 1; 0 job 2 of 2; 0 tasks 1 of 1 x2 a1; 0 tasks 2 of 2 x2 a1; 0 "
     "start 1 on 1 x2; 0 start 2 on 1 x2",
     "0 node 1 a8; 0 queue 9; 0 limit 9 a3; 0 queue 1 of 9; 0 queue 2 of 9; 0 "
     "job 1 of 1; 0 job 2 of 2; 0 tasks 1 of 1 x2 a1; 0 tasks 2 of 2 x2 a1; 0 "
     "start 1 on 1 x2; 0 start 2 on 1 x1",
     0, 0, 0, 9},
    {"a grandparent above its limit", SKED_AUDIT_CODE_QUEUE_OVER,
     "0 node 1 a8; 0 queue 7; 0 limit 7 a1; 0 queue 8 of 7; 0 queue 9 of 8; 0 "
     "job 1 of 9; 0 tasks 1 of 1 a2; 0 start 1 on 1",
     NULL, 0, 0, 0, 7},
    {"the second kind of a limit", SKED_AUDIT_CODE_QUEUE_OVER,
     "0 node 1 a9,9; 0 queue 1; 0 limit 1 anone,2; 0 job 1 of 1; 0 tasks 1 of "
     "1 a5,3; 0 start 1 on 1",
     "0 node 1 a9,9; 0 queue 1; 0 limit 1 anone,2; 0 job 1 of 1; 0 tasks 1 of "
     "1 a5,2; 0 start 1 on 1",
     0, 2, 0, 1},
    {"a start after the limit fell", SKED_AUDIT_CODE_QUEUE_OVER,
     "0 node 1 a4; 0 queue 1; 0 limit 1 a4; 0 job 1 of 1; 0 tasks 1 of 1 x3 "
     "a1; 0 start 1 on 1 x2; 1 limit 1 a2; 2 start 1 on 1",
     "0 node 1 a4; 0 queue 1; 0 limit 1 a4; 0 job 1 of 1; 0 tasks 1 of 1 x3 "
     "a1; 0 start 1 on 1 x2; 1 limit 1 a1",
     9, 0, 0, 1},
    {"a limit of nothing", SKED_AUDIT_CODE_QUEUE_OVER,
     "0 node 1 a4; 0 queue 1; 0 limit 1 a0; 0 job 1 of 1; 0 tasks 1 of 1 a1; 0 "
     "start 1 on 1",
     "0 node 1 a4; 0 queue 1; 0 limit 1 a0; 0 job 1 of 1; 0 tasks 1 of 1 a1", 0,
     0, 0, 1},
    /* Users. */
    {"a user above the bound", SKED_AUDIT_CODE_USER_OVER,
     "0 node 1 a8; 0 queue 1; 0 limit 1 on 5 a2; 0 job 1 of 1 on 5; 0 tasks 1 "
     "of 1 x3 a1; 0 start 1 on 1 x3",
     "0 node 1 a8; 0 queue 1; 0 limit 1 on 5 a2; 0 job 1 of 1 on 6; 0 tasks 1 "
     "of 1 x3 a1; 0 start 1 on 1 x3",
     0, 0, 0, 5},
    {"a user in two jobs", SKED_AUDIT_CODE_USER_OVER,
     "0 node 1 a8; 0 queue 1; 0 limit 1 on 5 a2; 0 job 1 of 1 on 5; 0 job 2 of "
     "1 on 5; 0 tasks 1 of 1 a2; 0 tasks 2 of 2 a1; 0 start 1 on 1; 1 start 2 "
     "on 1",
     NULL, 5, 0, 0, 5},
    {"a user in two leaves", SKED_AUDIT_CODE_USER_OVER,
     "0 node 1 a8; 0 queue 9; 0 queue 1 of 9; 0 queue 2 of 9; 0 limit 9 on 5 "
     "a2; 0 job 1 of 1 on 5; 0 job 2 of 2 on 5; 0 tasks 1 of 1 a2; 0 tasks 2 "
     "of 2 a1; 0 start 1 on 1; 0 start 2 on 1",
     "0 node 1 a8; 0 queue 9; 0 queue 1 of 9; 0 queue 2 of 9; 0 limit 9 on 5 "
     "a2; 0 job 1 of 1 on 5; 0 job 2 of 2 on 6; 0 tasks 1 of 1 a2; 0 tasks 2 "
     "of 2 a1; 0 start 1 on 1; 0 start 2 on 1",
     0, 0, 0, 5},
    {"a bound that came later", SKED_AUDIT_CODE_USER_OVER,
     "0 node 1 a8; 0 queue 1; 0 job 1 of 1 on 5; 0 tasks 1 of 1 x3 a1; 0 start "
     "1 on 1 x2; 1 limit 1 on 5 a2; 2 start 1 on 1",
     NULL, 9, 0, 0, 5},
    /* Gangs. */
    {"half a gang", SKED_AUDIT_CODE_GANG_PART,
     "0 node 1 a8; 0 job 1 x4; 0 tasks 1 of 1 x4 a1; 1 start 1 on 1 x2; 9 done "
     "1 on 1 x2",
     "0 node 1 a8; 0 job 1 x4; 0 tasks 1 of 1 x4 a1; 1 start 1 on 1 x4; 9 done "
     "1 on 1 x2",
     3, 0, 0, 1},
    {"a gang one by one", SKED_AUDIT_CODE_GANG_PART,
     "0 node 1 a8; 0 job 1 x2; 0 tasks 1 of 1 x2 a1; 1 start 1 on 1; 2 start 1 "
     "on 1",
     "0 node 1 a8; 0 job 1 x2; 0 tasks 1 of 1 x2 a1; 1 start 1 on 1; 1 start 1 "
     "on 1",
     0, 0, 0, 1},
    {"a gang of two kinds of tasks", SKED_AUDIT_CODE_GANG_PART,
     "0 node 1 a8; 0 job 1 x3; 0 tasks 1 of 1 a2; 0 tasks 2 of 1 x2 a1; 1 "
     "start 2 on 1 x2; 9 node 2 a1",
     "0 node 1 a8; 0 job 1 x3; 0 tasks 1 of 1 a2; 0 tasks 2 of 1 x2 a1; 1 "
     "start 2 on 1 x2; 1 start 1 on 1; 9 node 2 a1",
     5, 0, 0, 1},
    {"a gang that lost one and goes on", SKED_AUDIT_CODE_GANG_PART,
     "0 node 1 a8; 0 job 1 x2; 0 tasks 1 of 1 x2 a1; 0 start 1 on 1 x2; 1 lost "
     "1 on 1; 9 node 2 a1",
     "0 node 1 a8; 0 job 1 x2; 0 tasks 1 of 1 x2 a1; 0 start 1 on 1 x2; 1 lost "
     "1 on 1; 2 start 1 on 1; 9 node 2 a1",
     4, 0, 0, 1},
    {"one of a gang is killed", SKED_AUDIT_CODE_GANG_PART,
     "0 node 1 a2; 0 job 1 x2; 0 job 2; 0 tasks 1 of 1 x2 a1; 0 tasks 2 of 2 "
     "a1; 0 start 1 on 1 x2; 1 kill 1 on 1 of 2; 1 start 2 on 1; 9 node 2 a1",
     "0 node 1 a2; 0 job 1 x2; 0 job 2; 0 tasks 1 of 1 x2 a1; 0 tasks 2 of 2 "
     "a2; 0 start 1 on 1 x2; 1 kill 1 on 1 x2 of 2; 1 start 2 on 1",
     5, 0, 0, 1},
    /* Guarantees. */
    {"a stranger starts while a guarantee waits",
     SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
     OWED "0 tasks 2 of 2 x8 a1; 0 start 2 on 1 x7; 1 tasks 1 of 1 x4 a1; 5 "
          "start 2 on 1; 6 done 2 on 1 x8",
     OWED "0 tasks 2 of 2 x8 a1; 0 start 2 on 1 x7; 1 tasks 1 of 1 x4 a1; 2 "
          "start 1 on 1; 3 done 2 on 1 x3; 3 start 1 on 1 x3; 9 done 1 on 1 x4",
     3, 0, 0, 1},
    {"what falls free goes to the rich", SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
     OWED "0 tasks 2 of 2 x10 a1; 0 start 2 on 1 x8; 1 tasks 1 of 1 x4 a1; 6 "
          "done 2 on 1; 6 start 2 on 1",
     OWED "0 tasks 2 of 2 x10 a1; 0 start 2 on 1 x8; 1 tasks 1 of 1 x4 a1; 6 "
          "done 2 on 1; 6 start 1 on 1",
     3, 0, 0, 1},
    {"a guarantee of a parent", SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
     "0 node 1 a8; 0 queue 9; 0 guarantee 9 a4; 0 queue 1 of 9; 0 queue 2; 0 "
     "job 1 of 1; 0 job 2 of 2; 0 tasks 2 of 2 x10 a1; 0 start 2 on 1 x8; 1 "
     "tasks 1 of 1 x4 a1; 6 done 2 on 1; 6 start 2 on 1",
     "0 node 1 a8; 0 queue 9; 0 guarantee 9 a4; 0 queue 1 of 9; 0 queue 2; 0 "
     "job 1 of 1; 0 job 2 of 2; 0 tasks 2 of 2 x10 a1; 0 start 2 on 1 x8; 1 "
     "tasks 1 of 1 x4 a1; 6 done 2 on 1; 6 start 1 on 1",
     3, 0, 0, 9},
    {"nothing is taken back", SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
     OWED "0 tasks 2 of 2 x8 a1; 0 start 2 on 1 x8; 1 tasks 1 of 1 x4 a1; 9 "
          "done 2 on 1 x8; 9 start 1 on 1 x4",
     OWED "0 tasks 2 of 2 x8 a1; 0 start 2 on 1 x8; 1 tasks 1 of 1 x4 a1; 3 "
          "kill 2 on 1 x4 of 1; 3 start 1 on 1 x4; 9 done 2 on 1 x4; 9 start 2 "
          "on 1 x4",
     3, 0, SKED_AUDIT_FLAG_PREEMPTS, 1},
    {"a guarantee of the second kind", SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
     "0 node 1 a8,8; 0 queue 1; 0 queue 2; 0 guarantee 1 a0,4; 0 job 1 of 1; 0 "
     "job 2 of 2; 0 tasks 2 of 2 x10 a1,1; 0 start 2 on 1 x8; 1 tasks 1 of 1 "
     "x2 a1,1; 6 done 2 on 1; 6 start 2 on 1",
     NULL, 3, 2, 0, 1},
    /* Priorities. */
    {"a lower priority starts first", SKED_AUDIT_CODE_PRIORITY_INVERSION,
     LINE "0 tasks 1 of 1 v1 x2 a4; 0 start 1 on 1; 1 tasks 2 of 2 v9 a4; 5 "
          "done 1 on 1; 5 start 1 on 1",
     LINE "0 tasks 1 of 1 v1 x2 a4; 0 start 1 on 1; 1 tasks 2 of 2 v9 a4; 5 "
          "done 1 on 1; 5 start 2 on 1",
     3, 0, 0, 2},
    {"a lower priority of two kinds", SKED_AUDIT_CODE_PRIORITY_INVERSION,
     "0 node 1 a4,4; 0 queue 1; 0 job 1 of 1; 0 job 2 of 1; 0 tasks 1 of 1 v1 "
     "x2 a4,2; 0 start 1 on 1; 1 tasks 2 of 2 v2 a1,2; 5 done 1 on 1; 5 start "
     "1 on 1",
     "0 node 1 a4,4; 0 queue 1; 0 job 1 of 1; 0 job 2 of 1; 0 tasks 1 of 1 v1 "
     "x2 a4,2; 0 start 1 on 1; 1 tasks 2 of 2 v2 a1,3; 5 done 1 on 1; 5 start "
     "1 on 1",
     3, 2, 0, 2},
    {"a negative priority", SKED_AUDIT_CODE_PRIORITY_INVERSION,
     LINE "0 tasks 1 of 1 v-5 x2 a4; 0 start 1 on 1; 1 tasks 2 of 2 a4; 5 done "
          "1 on 1; 5 start 1 on 1",
     LINE "0 tasks 1 of 1 v5 x2 a4; 0 start 1 on 1; 1 tasks 2 of 2 a4; 5 done "
          "1 on 1; 5 start 1 on 1",
     3, 0, 0, 2},
    {"a killed task of high priority waits", SKED_AUDIT_CODE_PRIORITY_INVERSION,
     LINE "0 tasks 1 of 1 v9 a4; 0 start 1 on 1; 1 lost 1 on 1; 1 tasks 2 of 2 "
          "v1 a4; 2 down 1; 4 node 1; 5 start 2 on 1",
     LINE "0 tasks 1 of 1 v9 a4; 0 start 1 on 1; 1 lost 1 on 1; 1 tasks 2 of 2 "
          "v1 a4; 2 down 1; 4 node 1; 5 start 1 on 1",
     3, 0, 0, 1},
    {"within one job", SKED_AUDIT_CODE_PRIORITY_INVERSION,
     LINE "0 tasks 1 of 1 v1 x2 a4; 0 start 1 on 1; 1 tasks 2 of 1 v9 a4; 5 "
          "done 1 on 1; 5 start 1 on 1",
     NULL, 3, 0, 0, 2},
    /* Order of rows. */
    {"the second of a line goes first", SKED_AUDIT_CODE_ORDER_BROKEN,
     "0 node 1 a4; 0 queue 1 f; 0 job 1 of 1; 0 job 2 of 1; 0 job 3 of 1; 0 "
     "tasks 3 of 3 a4; 0 start 3 on 1; 1 tasks 1 of 1 a4; 1 tasks 2 of 2 a4; 5 "
     "done 3 on 1; 5 start 2 on 1",
     "0 node 1 a4; 0 queue 1 f; 0 job 1 of 1; 0 job 2 of 1; 0 job 3 of 1; 0 "
     "tasks 3 of 3 a4; 0 start 3 on 1; 1 tasks 1 of 1 a4; 1 tasks 2 of 2 a4; 5 "
     "done 3 on 1; 5 start 1 on 1",
     3, 0, 0, 1},
    {"the last of a line of three", SKED_AUDIT_CODE_ORDER_BROKEN,
     "0 node 1 a1; 0 queue 1 f; 0 job 1 of 1; 0 tasks 4 of 1 a1; 0 start 4 on "
     "1; 1 tasks 1 of 1 a1; 1 tasks 2 of 1 a1; 1 tasks 3 of 1 a1; 6 done 4 on "
     "1; 6 start 3 on 1",
     "0 node 1 a1; 0 queue 1; 0 job 1 of 1; 0 tasks 4 of 1 a1; 0 start 4 on 1; "
     "1 tasks 1 of 1 a1; 1 tasks 2 of 1 a1; 1 tasks 3 of 1 a1; 6 done 4 on 1; "
     "6 start 3 on 1",
     3, 0, 0, 1},
    /* Kills. */
    {"a kill for none", SKED_AUDIT_CODE_KILL_IN_VAIN,
     ONE "0 tasks 1 of 1 a1; 0 start 1 on 1; 1 kill 1 on 1; 2 start 1 on 1; 9 "
         "done 1 on 1",
     ONE "0 tasks 1 of 1 a1; 0 start 1 on 1; 1 lost 1 on 1; 2 start 1 on 1; 9 "
         "done 1 on 1",
     3, 0, 0, 1},
    {"the claim starts elsewhere", SKED_AUDIT_CODE_KILL_IN_VAIN,
     TWO "0 tasks 1 of 1 a4; 0 start 1 on 1; 1 tasks 2 of 2 a4; 1 kill 1 on 1 "
         "of 2; 1 start 2 on 2; 5 start 1 on 1; 9 done 1 on 1",
     TWO "0 tasks 1 of 1 a4; 0 start 1 on 1; 0 tasks 3 of 1 a1; 0 start 3 on "
         "2; 1 tasks 2 of 2 a4; 1 kill 1 on 1 of 2; 1 start 2 on 1; 5 done 2 "
         "on 1; 5 start 1 on 1",
     4, 0, 0, 1},
    {"two killed where one was enough", SKED_AUDIT_CODE_KILL_IN_VAIN,
     ONE "0 job 2; 0 tasks 1 of 1 x4 a1; 0 start 1 on 1 x4; 1 tasks 2 of 2 a1; "
         "1 kill 1 on 1 x2 of 2; 1 start 2 on 1; 6 start 1 on 1",
     ONE "0 job 2; 0 tasks 1 of 1 x4 a1; 0 start 1 on 1 x4; 1 tasks 2 of 2 a2; "
         "1 kill 1 on 1 x2 of 2; 1 start 2 on 1; 6 done 2 on 1; 6 start 1 on 1 "
         "x2",
     4, 0, 0, 1},
    {"room was there without the kill", SKED_AUDIT_CODE_KILL_IN_VAIN,
     ONE "0 job 2; 0 tasks 1 of 1 a2; 0 start 1 on 1; 1 tasks 2 of 2 a2; 1 "
         "kill 1 on 1 of 2; 1 start 2 on 1; 6 start 1 on 1",
     ONE "0 job 2; 0 tasks 1 of 1 a2; 0 start 1 on 1; 1 tasks 2 of 2 a3; 1 "
         "kill 1 on 1 of 2; 1 start 2 on 1; 6 done 2 on 1; 6 start 1 on 1",
     4, 0, 0, 1},
    {"a kill in a kind that is not short", SKED_AUDIT_CODE_KILL_IN_VAIN,
     "0 node 1 a4,4; 0 job 1; 0 job 2; 0 tasks 1 of 1 a0,4; 0 start 1 on 1; 1 "
     "tasks 2 of 2 a4,0; 1 kill 1 on 1 of 2; 1 start 2 on 1; 6 start 1 on 1",
     "0 node 1 a4,4; 0 job 1; 0 job 2; 0 tasks 1 of 1 a1,4; 0 start 1 on 1; 1 "
     "tasks 2 of 2 a4,0; 1 kill 1 on 1 of 2; 1 start 2 on 1; 6 done 2 on 1; 6 "
     "start 1 on 1",
     4, 2, 0, 1},
    {"a kill for a task that is never started", SKED_AUDIT_CODE_KILL_IN_VAIN,
     ONE "0 job 2; 0 tasks 1 of 1 a4; 0 start 1 on 1; 1 tasks 2 of 2 a4; 1 "
         "kill 1 on 1 of 2; 4 start 1 on 1; 9 done 1 on 1; 9 start 2 on 1",
     ONE "0 job 2; 0 tasks 1 of 1 a4; 0 start 1 on 1; 1 tasks 2 of 2 a4; 1 "
         "kill 1 on 1 of 2; 2 cancel 2; 4 start 1 on 1; 9 done 1 on 1",
     5, 0, 0, 1},
    {"a kill within a bound that has room", SKED_AUDIT_CODE_KILL_IN_VAIN,
     "0 node 1 a4; 0 node 2 a4; 0 queue 1; 0 limit 1 a4; 0 job 1 of 1; 0 job 2 "
     "of 1; 0 tasks 1 of 1 a2; 0 start 1 on 1; 1 tasks 2 of 2 a2; 1 kill 1 on "
     "1 of 2; 1 start 2 on 2; 6 start 1 on 1",
     "0 node 1 a4; 0 node 2 a4; 0 queue 1; 0 limit 1 a3; 0 job 1 of 1; 0 job 2 "
     "of 1; 0 tasks 1 of 1 a2; 0 start 1 on 1; 1 tasks 2 of 2 a2; 1 kill 1 on "
     "1 of 2; 1 start 2 on 2; 6 done 2 on 2; 6 start 1 on 1",
     4, 0, 0, 1},
    /* Turns. */
    {"two tasks end each other", SKED_AUDIT_CODE_KILLS_IN_TURNS,
     ONE "0 job 2; 0 tasks 1 of 1 a4; 0 tasks 2 of 2 a4; 0 start 1 on 1; 1 "
         "kill 1 on 1 of 2; 1 start 2 on 1; 2 kill 2 on 1 of 1; 2 start 1 on "
         "1; 3 kill 1 on 1 of 2; 3 start 2 on 1",
     ONE "0 job 2; 0 tasks 1 of 1 a4; 0 tasks 2 of 2 a4; 0 start 1 on 1; 1 "
         "kill 1 on 1 of 2; 1 start 2 on 1; 2 kill 2 on 1 of 1; 2 start 1 on 1",
     9, 0, 0, 1},
    {"the same without words", SKED_AUDIT_CODE_KILLS_IN_TURNS,
     ONE "0 job 2; 0 tasks 1 of 1 a4; 0 tasks 2 of 2 a4; 0 start 1 on 1; 1 "
         "kill 1 on 1; 1 start 2 on 1; 2 kill 2 on 1; 2 start 1 on 1; 3 kill 1 "
         "on 1; 3 start 2 on 1",
     ONE "0 job 2; 0 tasks 1 of 1 x3 a4; 0 tasks 2 of 2 x3 a4; 0 start 1 on 1; "
         "1 kill 1 on 1; 1 start 2 on 1; 2 done 2 on 1; 2 start 1 on 1; 3 kill "
         "1 on 1; 3 start 2 on 1",
     9, 0, 0, 1},
    /* Shares. */
    {"one queue takes all", SKED_AUDIT_CODE_SHARES_OFF,
     PAIR "0 tasks 1 of 1 x9 a1; 0 tasks 2 of 2 x9 a1; 1 start 1 on 1 x4",
     PAIR "0 tasks 1 of 1 x9 a1; 0 tasks 2 of 2 x9 a1; 1 start 1 on 1 x2; 1 "
          "start 2 on 1 x2",
     0, 0, 0, 2},
    {"weights turned round", SKED_AUDIT_CODE_SHARES_OFF,
     "0 node 1 a9; 0 queue 1 v1; 0 queue 2 v3; 0 job 1 of 1; 0 job 2 of 2; 0 "
     "tasks 1 of 1 x9 a1; 0 tasks 2 of 2 x9 a1; 1 start 1 on 1 x6; 1 start 2 "
     "on 1 x3",
     "0 node 1 a8; 0 queue 1 v1; 0 queue 2 v3; 0 job 1 of 1; 0 job 2 of 2; 0 "
     "tasks 1 of 1 x9 a1; 0 tasks 2 of 2 x9 a1; 1 start 1 on 1 x2; 1 start 2 "
     "on 1 x6",
     0, 0, 0, 2},
    {"two units off", SKED_AUDIT_CODE_SHARES_OFF,
     "0 node 1 a8; 0 queue 1 v1; 0 queue 2 v1; 0 job 1 of 1; 0 job 2 of 2; 0 "
     "tasks 1 of 1 x9 a1; 0 tasks 2 of 2 x9 a1; 1 start 1 on 1 x6; 1 start 2 "
     "on 1 x2",
     "0 node 1 a8; 0 queue 1 v1; 0 queue 2 v1; 0 job 1 of 1; 0 job 2 of 2; 0 "
     "tasks 1 of 1 x9 a1; 0 tasks 2 of 2 x9 a1; 1 start 1 on 1 x5; 1 start 2 "
     "on 1 x3",
     0, 0, 0, 2},
    {"among four equals", SKED_AUDIT_CODE_SHARES_OFF,
     "0 node 1 a8; 0 queue 1 v1; 0 queue 2 v1; 0 queue 3 v1; 0 queue 4 v1; 0 "
     "job 1 of 1; 0 job 2 of 2; 0 job 3 of 3; 0 job 4 of 4; 0 tasks 1 of 1 x9 "
     "a1; 0 tasks 2 of 2 x9 a1; 0 tasks 3 of 3 x9 a1; 0 tasks 4 of 4 x9 a1; 1 "
     "start 1 on 1 x5; 1 start 2 on 1; 1 start 3 on 1; 1 start 4 on 1",
     "0 node 1 a8; 0 queue 1 v1; 0 queue 2 v1; 0 queue 3 v1; 0 queue 4 v1; 0 "
     "job 1 of 1; 0 job 2 of 2; 0 job 3 of 3; 0 job 4 of 4; 0 tasks 1 of 1 x9 "
     "a1; 0 tasks 2 of 2 x9 a1; 0 tasks 3 of 3 x9 a1; 0 tasks 4 of 4 x9 a1; 1 "
     "start 1 on 1 x3; 1 start 2 on 1 x2; 1 start 3 on 1 x2; 1 start 4 on 1",
     0, 0, 0, 0},
    {"among parents", SKED_AUDIT_CODE_SHARES_OFF,
     "0 node 1 a6; 0 queue 8 v1; 0 queue 9 v1; 0 queue 1 of 8 v1; 0 queue 2 of "
     "9 v1; 0 job 1 of 1; 0 job 2 of 2; 0 tasks 1 of 1 x9 a1; 0 tasks 2 of 2 "
     "x9 a1; 1 start 1 on 1 x6",
     "0 node 1 a6; 0 queue 8 v1; 0 queue 9 v1; 0 queue 1 of 8 v1; 0 queue 2 of "
     "9 v1; 0 job 1 of 1; 0 job 2 of 2; 0 tasks 1 of 1 x9 a1; 0 tasks 2 of 2 "
     "x9 a1; 1 start 1 on 1 x3; 1 start 2 on 1 x3",
     0, 0, 0, 9},
    {"by the dominant kind", SKED_AUDIT_CODE_SHARES_OFF,
     "0 node 1 a10,10; 0 queue 1 v1; 0 queue 2 v1; 0 job 1 of 1; 0 job 2 of 2; "
     "0 tasks 1 of 1 x9 a2,1; 0 tasks 2 of 2 x9 a1,1; 1 start 1 on 1 x4",
     "0 node 1 a10,10; 0 queue 1 v1; 0 queue 2 v1; 0 job 1 of 1; 0 job 2 of 2; "
     "0 tasks 1 of 1 x9 a2,1; 0 tasks 2 of 2 x9 a1,2; 1 start 1 on 1 x3; 1 "
     "start 2 on 1 x3",
     0, 2, 0, 2},
    /* Words about starts. */
    {"a reserved start is late", SKED_AUDIT_CODE_RESERVED_LATE,
     ONE "0 tasks 1 of 1 a4; 0 reserve 1 on 1 v5; 9 start 1 on 1",
     ONE "0 tasks 1 of 1 a4; 0 reserve 1 on 1 v5; 6 start 1 on 1", 2, 0, 0, 1},
    {"a reserved start never comes", SKED_AUDIT_CODE_RESERVED_LATE,
     ONE "0 job 2; 0 tasks 2 of 2 a4; 0 start 2 on 1; 0 tasks 1 of 1 a4; 0 "
         "reserve 1 v5; 10 node 2 a1; 20 node 2 a2",
     ONE "0 job 2; 0 tasks 2 of 2 a4; 0 start 2 on 1; 0 tasks 1 of 1 a4; 0 "
         "reserve 1 v5; 5 cancel 1; 20 node 2 a2",
     2, 0, 0, 1},
    {"a reserved start is put off", SKED_AUDIT_CODE_RESERVED_LATE,
     ONE "0 job 2; 0 tasks 2 of 2 a4; 0 start 2 on 1; 0 tasks 1 of 1 a4; 0 "
         "reserve 1 v5; 1 reserve 1 v9; 3 done 2 on 1; 3 start 1 on 1",
     ONE "0 job 2; 0 tasks 2 of 2 a4; 0 start 2 on 1; 0 tasks 1 of 1 a4; 0 "
         "reserve 1 v9; 1 reserve 1 v5; 3 done 2 on 1; 3 start 1 on 1",
     2, 0, 0, 1},
    /* Work that goes missing. */
    {"tasks of a lost node are forgotten", SKED_AUDIT_CODE_WORK_LOST,
     ONE "0 tasks 1 of 1 a4; 0 start 1 on 1; 1 down 1; 9 node 2 a1",
     ONE "0 tasks 1 of 1 a4; 0 start 1 on 1; 1 down 1; 2 lost 1 on 1; 9 node 2 "
         "a1",
     3, 0, 0, 1},
    {"two tasks of a lost node", SKED_AUDIT_CODE_WORK_LOST,
     ONE "0 tasks 1 of 1 x2 a1; 0 start 1 on 1 x2; 1 down 1; 9 node 2 a1",
     ONE "0 tasks 1 of 1 x2 a1; 0 start 1 on 1 x2; 1 down 1; 2 node 2 a2; 2 "
         "start 1 on 2 x2; 9 done 1 on 2 x2",
     3, 0, 0, 1},
    {"the one that was not told", SKED_AUDIT_CODE_WORK_LOST,
     ONE "0 job 2; 0 tasks 1 of 1 a1; 0 tasks 2 of 2 a1; 0 start 1 on 1; 0 "
         "start 2 on 1; 1 down 1; 1 lost 1 on 1; 9 node 2 a0",
     ONE "0 job 2; 0 tasks 1 of 1 a1; 0 tasks 2 of 2 a1; 0 start 1 on 1; 0 "
         "start 2 on 1; 1 down 1; 1 lost 1 on 1; 1 lost 2 on 1; 9 node 2 a0",
     3, 0, 0, 2},
    {"a job is over while tasks wait", SKED_AUDIT_CODE_WORK_LOST,
     ONE "0 tasks 1 of 1 x2 a4; 0 start 1 on 1; 2 done 1 on 1; 2 over 1",
     ONE "0 tasks 1 of 1 x2 a4; 0 start 1 on 1; 2 done 1 on 1; 2 start 1 on 1; "
         "3 done 1 on 1; 3 over 1",
     3, 0, 0, 1},
    {"a job is over while tasks run", SKED_AUDIT_CODE_WORK_LOST,
     ONE "0 tasks 1 of 1 a4; 0 start 1 on 1; 2 over 1",
     ONE "0 tasks 1 of 1 a4; 0 start 1 on 1; 2 done 1 on 1; 2 over 1", 3, 0, 0,
     1},
    {"killed and never queued again", SKED_AUDIT_CODE_WORK_LOST,
     ONE "0 job 2; 0 tasks 1 of 1 a4; 0 start 1 on 1; 1 tasks 2 of 2 a4; 1 "
         "kill 1 on 1 of 2; 1 start 2 on 1; 2 over 1",
     ONE "0 job 2; 0 tasks 1 of 1 a4; 0 start 1 on 1; 1 tasks 2 of 2 a4; 1 "
         "kill 1 on 1 of 2; 1 start 2 on 1; 2 cancel 1; 2 over 1",
     3, 0, 0, 1},
    /* Work that is done twice. */
    {"one task starts twice", SKED_AUDIT_CODE_WORK_DOUBLED,
     ONE "0 tasks 1 of 1 a1; 0 start 1 on 1; 1 start 1 on 1",
     ONE "0 tasks 1 of 1 x2 a1; 0 start 1 on 1; 1 start 1 on 1", 3, 0, 0, 1},
    {"one task starts on two nodes", SKED_AUDIT_CODE_WORK_DOUBLED,
     TWO "0 tasks 1 of 1 a1; 0 start 1 on 1; 0 start 1 on 2", NULL, 3, 0, 0, 1},
    {"more than were asked for", SKED_AUDIT_CODE_WORK_DOUBLED,
     ONE "0 tasks 1 of 1 x2 a1; 0 start 1 on 1 x3", NULL, 3, 0, 0, 1},
    {"a start after it was withdrawn", SKED_AUDIT_CODE_WORK_DOUBLED,
     ONE "0 tasks 1 of 1 a1; 1 cancel 1; 2 start 1 on 1",
     ONE "0 tasks 1 of 1 a1; 1 cancel 1", 3, 0, 0, 1},
    {"a start after it was done", SKED_AUDIT_CODE_WORK_DOUBLED,
     ONE "0 tasks 1 of 1 a1; 1 start 1 on 1; 2 done 1 on 1; 3 start 1 on 1",
     NULL, 3, 0, 0, 1},
    {"a lost task is queued twice", SKED_AUDIT_CODE_WORK_DOUBLED,
     TWO "0 tasks 1 of 1 a1; 0 start 1 on 1; 1 down 1; 1 lost 1 on 1; 2 start "
         "1 on 2; 3 start 1 on 2",
     NULL, 3, 0, 0, 1},
    {"a start after the job is over", SKED_AUDIT_CODE_WORK_DOUBLED,
     ONE "0 tasks 1 of 1 a1; 1 start 1 on 1; 2 done 1 on 1; 2 over 1; 3 start "
         "1 on 1",
     NULL, 3, 0, 0, 1},
    /* Ends of what does not run. */
    {"done before it started", SKED_AUDIT_CODE_WORK_UNKNOWN,
     ONE "0 tasks 1 of 1 a1; 1 done 1 on 1; 1 start 1 on 1",
     ONE "0 tasks 1 of 1 a1; 1 start 1 on 1; 1 done 1 on 1", 3, 0, 0, 1},
    {"done twice", SKED_AUDIT_CODE_WORK_UNKNOWN,
     ONE "0 tasks 1 of 1 a1; 1 start 1 on 1; 2 done 1 on 1; 3 done 1 on 1",
     NULL, 3, 0, 0, 1},
    {"done on another node", SKED_AUDIT_CODE_WORK_UNKNOWN,
     TWO "0 tasks 1 of 1 a1; 1 start 1 on 1; 2 done 1 on 2", NULL, 3, 0, 0, 1},
    {"more end than run", SKED_AUDIT_CODE_WORK_UNKNOWN,
     ONE "0 tasks 1 of 1 x2 a1; 1 start 1 on 1 x2; 2 done 1 on 1 x3", NULL, 3,
     0, 0, 1},
    {"a kill of what waits", SKED_AUDIT_CODE_WORK_UNKNOWN,
     ONE "0 tasks 1 of 1 a1; 1 kill 1 on 1; 1 start 1 on 1", NULL, 3, 0, 0, 1},
    {"a kill given twice", SKED_AUDIT_CODE_WORK_UNKNOWN,
     ONE "0 job 2; 0 tasks 1 of 1 a4; 0 start 1 on 1; 1 tasks 2 of 2 a4; 1 "
         "kill 1 on 1 of 2; 1 kill 1 on 1 of 2; 1 start 2 on 1",
     NULL, 5, 0, 0, 1},
    /* Nodes that may not run the work. */
    {"a start on a node that is down", SKED_AUDIT_CODE_NODE_UNFIT,
     ONE "0 tasks 1 of 1 a1; 1 down 1; 2 start 1 on 1; 2 lost 1 on 1", NULL, 5,
     0, 0, 1},
    {"a start on a node that drains", SKED_AUDIT_CODE_NODE_UNFIT,
     ONE "0 tasks 1 of 1 a1; 1 drain 1; 2 start 1 on 1",
     ONE "0 tasks 1 of 1 a1; 1 start 1 on 1; 2 drain 1; 3 done 1 on 1", 5, 0, 0,
     1},
    {"a start on a node of another partition", SKED_AUDIT_CODE_NODE_UNFIT,
     "0 node 1 of 7 a4; 0 job 1; 0 tasks 1 of 1 on 8 a1; 1 start 1 on 1",
     "0 node 1 of 8 a4; 0 job 1; 0 tasks 1 of 1 on 8 a1; 1 start 1 on 1", 5, 0,
     0, 1},
    {"done on a node that was down", SKED_AUDIT_CODE_NODE_UNFIT,
     ONE "0 tasks 1 of 1 a1; 0 start 1 on 1; 1 down 1; 3 done 1 on 1",
     ONE "0 tasks 1 of 1 a1; 0 start 1 on 1; 1 down 1; 2 node 1; 3 done 1 on 1",
     5, 0, 0, 1},
    {"a start on a node that no row made", SKED_AUDIT_CODE_NODE_UNFIT,
     ONE "0 tasks 1 of 1 a1; 1 start 1 on 9", NULL, 5, 0, 0, 0},
    /* Nodes that idle. */
    {"a node idles beside work", SKED_AUDIT_CODE_NODE_IDLE,
     ONE "0 tasks 1 of 1 a4; 9 start 1 on 1",
     ONE "0 tasks 1 of 1 a4; 3 start 1 on 1", 5, 0, 0, 1},
    {"the second node is never used", SKED_AUDIT_CODE_NODE_IDLE,
     TWO "0 tasks 1 of 1 x2 a4; 0 start 1 on 1; 9 done 1 on 1; 9 start 1 on 1",
     TWO "0 tasks 1 of 1 x2 a4; 0 start 1 on 1; 2 start 1 on 2; 9 done 1 on 1",
     5, 0, 0, 2},
    {"the head of the line holds up the rest", SKED_AUDIT_CODE_NODE_IDLE,
     ONE "0 job 2; 0 tasks 1 of 1 a9; 0 tasks 2 of 2 a1; 9 start 2 on 1",
     ONE "0 job 2; 0 tasks 1 of 1 a9; 0 tasks 2 of 2 a1; 1 start 2 on 1", 5, 0,
     0, 1},
    {"what fell free stays so", SKED_AUDIT_CODE_NODE_IDLE,
     ONE "0 tasks 1 of 1 x2 a4; 0 start 1 on 1; 2 done 1 on 1; 9 start 1 on 1",
     ONE "0 tasks 1 of 1 x2 a4; 0 start 1 on 1; 2 done 1 on 1; 3 start 1 on 1",
     5, 0, 0, 1},
    {"a node that came back", SKED_AUDIT_CODE_NODE_IDLE,
     ONE "0 down 1; 0 tasks 1 of 1 a4; 6 node 1; 13 start 1 on 1",
     ONE "0 down 1; 0 tasks 1 of 1 a4; 6 node 1; 9 start 1 on 1", 5, 0, 0, 1},
    {"a kill whose work is not queued again", SKED_AUDIT_CODE_NODE_IDLE,
     ONE "0 tasks 1 of 1 a4; 0 start 1 on 1; 1 lost 1 on 1; 9 start 1 on 1",
     NULL, 5, 0, 0, 1},
    {"a gang waits beside nodes that take all of it", SKED_AUDIT_CODE_NODE_IDLE,
     "0 node 1 a4; 0 node 2 a4; 0 job 1 x3; 0 tasks 1 of 1 x3 a2; 9 start 1 on "
     "1 x2; 9 start 1 on 2",
     "0 node 1 a4; 0 node 2 a4; 0 job 1 x3; 0 tasks 1 of 1 x3 a2; 3 start 1 on "
     "1 x2; 3 start 1 on 2",
     5, 0, 0, 1},
    {"a gang waits on the nodes that others left", SKED_AUDIT_CODE_NODE_IDLE,
     "0 node 1 a2; 0 node 2 a2; 0 job 1 x2; 0 job 2; 0 tasks 2 of 2 a2; 0 "
     "start "
     "2 on 1; 0 tasks 1 of 1 x2 a2; 6 done 2 on 1; 13 start 1 on 1; 13 start 1 "
     "on 2",
     "0 node 1 a2; 0 node 2 a2; 0 job 1 x2; 0 job 2; 0 tasks 2 of 2 a2; 0 "
     "start "
     "2 on 1; 0 tasks 1 of 1 x2 a2; 6 done 2 on 1; 9 start 1 on 1; 9 start 1 "
     "on 2",
     5, 0, 0, 1},
    /* Small tasks that take the place of a larger one. */
    {"small tasks of a lower priority fill a node",
     SKED_AUDIT_CODE_PRIORITY_INVERSION,
     LINE "0 tasks 9 of 1 a4; 0 start 9 on 1; 1 tasks 1 of 1 v5 a3; 1 tasks 2 "
          "of 2 x4 a1; 9 done 9 on 1; 9 start 2 on 1 x4",
     LINE "0 tasks 9 of 1 a4; 0 start 9 on 1; 1 tasks 1 of 1 v5 a3; 1 tasks 2 "
          "of 2 x4 a1; 9 done 9 on 1; 9 start 1 on 1; 9 start 2 on 1",
     5, 0, 0, 1},
    {"a small task takes what a larger one lacks",
     SKED_AUDIT_CODE_PRIORITY_INVERSION,
     LINE "0 tasks 9 of 1 a4; 0 start 9 on 1; 1 tasks 1 of 1 v5 a4; 1 tasks 2 "
          "of 2 x4 a1; 2 done 9 on 1; 2 start 2 on 1",
     LINE "0 tasks 9 of 1 a4; 0 start 9 on 1; 1 tasks 1 of 1 v5 a5; 1 tasks 2 "
          "of 2 x4 a1; 2 done 9 on 1; 2 start 2 on 1",
     0, 0, 0, 1},
    {"later small tasks fill a node", SKED_AUDIT_CODE_ORDER_BROKEN,
     "0 node 1 a4; 0 queue 1 v1 f; 0 job 1 of 1; 0 tasks 9 of 1 a4; 0 start 9 "
     "on 1; 1 tasks 1 of 1 a3; 1 tasks 2 of 1 x3 a1; 9 done 9 on 1; 9 start 2 "
     "on 1 x3",
     "0 node 1 a4; 0 queue 1 v1; 0 job 1 of 1; 0 tasks 9 of 1 a4; 0 start 9 on "
     "1; 1 tasks 1 of 1 a3; 1 tasks 2 of 1 x3 a1; 9 done 9 on 1; 9 start 2 on "
     "1 x3",
     5, 0, 0, 1},
    /* Kills beside a node that is free. */
    {"a kill although another node is free", SKED_AUDIT_CODE_KILL_IN_VAIN,
     TWO "0 tasks 1 of 1 a4; 0 start 1 on 1; 1 tasks 2 of 2 a3; 1 kill 1 on 1 "
         "of 2; 1 start 2 on 1",
     "0 node 1 a4; 0 node 2 a2; 0 job 1; 0 job 2; 0 tasks 1 of 1 a4; 0 start 1 "
     "on 1; 1 tasks 2 of 2 a3; 1 kill 1 on 1 of 2; 1 start 2 on 1",
     0, 0, 0, 1},
    {"a kill for tasks of which others would do", SKED_AUDIT_CODE_KILL_IN_VAIN,
     TWO "0 tasks 1 of 1 x2 a2; 0 start 1 on 1 x2; 1 tasks 2 of 2 x3 a2; 1 "
         "start 2 on 2; 1 kill 1 on 1 of 2; 1 start 2 on 1",
     TWO "0 tasks 1 of 1 x2 a2; 0 start 1 on 1 x2; 1 tasks 2 of 2 x3 a2; 1 "
         "kill 1 on 1 of 2; 1 start 2 on 1; 1 start 2 on 2 x2",
     0, 0, 0, 1},
    /* Nested guarantees. */
    {"a sibling without guarantee goes first",
     SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
     NEST "0 tasks 2 of 2 x9 a1; 0 start 2 on 1 x4; 1 tasks 1 of 1 x2 a1; 9 "
          "start 2 on 1 x2",
     NEST "0 tasks 2 of 2 x9 a1; 0 start 2 on 1 x4; 1 tasks 1 of 1 x2 a1; 9 "
          "start 1 on 1 x2; 9 start 2 on 1 x2",
     5, 0, 0, 3},
    {"a stranger goes before a nested guarantee",
     SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
     NEST "0 guarantee 1 a0; 0 tasks 3 of 3 x9 a1; 1 tasks 1 of 1 x2 a1; 9 "
          "start 3 on 1 x2",
     /* The sibling uses what the parent is guaranteed. Strangers owe nothing. */
     NEST "0 guarantee 1 a0; 0 tasks 2 of 2 x9 a1; 0 start 2 on 1 x2; 0 tasks "
          "3 of 3 x9 a1; 1 tasks 1 of 1 x2 a1; 9 start 3 on 1 x2",
     5, 0, 0, 3},
    {"a stranger holds what a nested guarantee lacks",
     SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
     NEST "0 guarantee 1 a0; 0 tasks 3 of 3 x9 a1; 0 start 3 on 1 x8; 1 tasks "
          "1 of 1 x2 a1; 9 node 2 a0",
     /* The stranger and the sibling need all for guarantees of their own. */
     NEST "0 guarantee 1 a0; 0 tasks 3 of 3 x9 a1; 0 start 3 on 1 x4; 0 "
          "guarantee 5 a4; 0 tasks 2 of 2 x4 a1; 0 start 2 on 1 x4; 0 "
          "guarantee 4 a2; 0 guarantee 3 a0; 0 guarantee 1 a2; 1 tasks 1 of 1 "
          "x2 a1; 9 node 2 a0",
     5, 0, SKED_AUDIT_FLAG_PREEMPTS, 3},
    {"a sibling holds what a nested guarantee lacks",
     SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
     NEST "0 tasks 2 of 2 x9 a1; 0 start 2 on 1 x8; 1 tasks 1 of 1 x2 a1; 9 "
          "node 2 a0",
     /* A gang is no victim. */
     NEST "0 job 4 of 4 x8; 0 tasks 2 of 4 x8 a1; 0 start 2 on 1 x8; 1 tasks 1 "
          "of 1 x2 a1; 9 node 2 a0",
     5, 0, SKED_AUDIT_FLAG_PREEMPTS, 3},
    {"surplus on one node is enough", SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
     "0 node 1 a3; 0 queue 1; 0 queue 2; 0 guarantee 1 a3; 0 job 1 of 1; 0 job "
     "2 of 2; 0 tasks 2 of 2 x4 a1; 0 start 2 on 1 x3; 1 tasks 1 of 1 a3; 9 "
     "node 2 a0",
     "0 node 1 a2; 0 node 2 a2; 0 queue 1; 0 queue 2; 0 guarantee 1 a3; 0 job "
     "1 of 1; 0 job 2 of 2; 0 tasks 2 of 2 x4 a1; 0 start 2 on 1 x2; 0 start 2 "
     "on 2 x2; 1 tasks 1 of 1 a3; 9 node 3 a0",
     5, 0, SKED_AUDIT_FLAG_PREEMPTS, 1},
    {"two kinds of tasks leave together", SKED_AUDIT_CODE_GUARANTEE_UNSERVED,
     "0 node 1 a4; 0 queue 1; 0 queue 2; 0 queue 3; 0 guarantee 1 a4; 0 job 1 "
     "of 1; 0 job 2 of 2; 0 job 3 of 3; 0 tasks 2 of 2 a2; 0 tasks 3 of 3 x2 "
     "a1; 0 start 2 on 1; 0 start 3 on 1 x2; 1 tasks 1 of 1 a4; 9 node 2 a0",
     /* One task of the two is within a guarantee. */
     "0 node 1 a4; 0 queue 1; 0 queue 2; 0 queue 3; 0 guarantee 1 a3; 0 "
     "guarantee 3 a1; 0 job 1 of 1; 0 job 2 of 2; 0 job 3 of 3; 0 tasks 2 of 2 "
     "a1; 0 tasks 3 of 3 x2 a1; 0 start 2 on 1; 0 start 3 on 1 x2; 1 tasks 1 "
     "of 1 a4; 9 node 2 a0",
     5, 0, SKED_AUDIT_FLAG_PREEMPTS, 1},
};

#endif
