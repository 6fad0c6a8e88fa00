#ifndef SKED_QUEUE_H
#define SKED_QUEUE_H

/*
 * The settings of a queue. Each is an attribute of one of three types: an
 * integer, an amount for each resource kind, or a text. The text form
 * (tree_text.h) has the same attributes, by the names in brackets; the calls
 * that set and read them are in tree.h.
 *
 * The smallest use:
 *
 *     sked_tree_set(tree, queue, SKED_QUEUE_WEIGHT, 2, &err);
 *     sked_tree_set_vec(tree, queue, SKED_QUEUE_LIMIT, amounts, &err);
 *
 * The table says which computation honours an attribute (+), and which never
 * reads it (-). `label` is for the host alone. Simulated jobs have no masters,
 * and their users no names, so that am_share and the weights of users have no
 * effect in the simulator, nor in what advise.h proves by it. sked_share
 * honours priorities where it shares in bands, sked_target with
 * SKED_TARGET_FLAG_PRIORITY. The column of sked_plan says what it reads and
 * changes. Functions on plain arrays take the same values as columns.
 *
 * | attribute | engine | sim | share | target | order | hdrf | fair_tree | plan |
 * | weight | + | + | + | + | + | + | + | + |
 * | order | + | + | - | - | + | - | - | - |
 * | fair_kind | + | + | - | - | + | - | - | - |
 * | apps | + | + | - | - | - | - | - | - |
 * | max_running | + | + | - | - | - | - | - | + |
 * | user_limit | + | + | - | - | - | - | - | - |
 * | user_factor | + | + | - | - | - | - | - | - |
 * | start_rate | + | + | - | - | - | - | - | - |
 * | user_weight | + | - | - | - | - | - | - | - |
 * | priority | + | + | + | + | + | - | - | - |
 * | tier | + | + | - | - | - | - | - | + |
 * | preempt_from | + | + | - | + | - | - | - | + |
 * | preempt_min_timeout | + | + | - | + | - | - | - | - |
 * | preempt_fair_timeout | + | + | - | + | - | - | - | + |
 * | preempt_fair_threshold | + | + | - | + | - | - | - | + |
 * | am_share | + | - | - | - | - | - | - | - |
 * | guarantee | + | + | + | + | + | - | - | - |
 * | guarantee % | + | + | + | + | + | - | - | - |
 * | limit | + | + | + | + | - | - | - | - |
 * | limit % | + | + | + | + | - | - | - | - |
 * | borrow | + | + | + | + | - | - | - | - |
 * | lend | + | + | + | + | - | - | - | - |
 * | state | + | + | + | + | + | - | - | - |
 * | label | - | - | - | - | - | - | - | - |
 */

#include <sched/base.h>

/*
 * Integer attributes. In brackets: name in the text form, allowed values,
 * default. Inherited: unset takes the nearest ancestor's value.
 */
enum sked_queue_attribute {
    /* Its part among siblings is its weight over the sum of weights; a queue of
     * weight 0 gets its guarantee only. [weight; 0 to 2^32-1; 1] [MON-10] */
    SKED_QUEUE_WEIGHT = 1,
    /* How a parent orders its children. [order; enum sked_order_policy; drf]
     * [LNK-1] */
    SKED_QUEUE_ORDER = 2,
    /* The kind that the order `fair` and shares by one kind look at.
     * [fair_kind; a kind; the first kind] */
    SKED_QUEUE_FAIR_KIND = 3,
    /* How a leaf orders its applications. [apps; enum sked_apps_policy;
     * fifo] */
    SKED_QUEUE_APPS = 4,
    /* The most applications that run at once in the queue and below it.
     * [max_running; 0 to 2^31-1 or unlimited; unlimited] [MON-5] */
    SKED_QUEUE_MAX_RUNNING = 5,
    /* A bound on what one user of a leaf may hold, in ppm: this part, or the
     * user's part by weight among the users with something open, whichever is
     * more, of what the leaf may count on (its guarantee, or one unit more than
     * it uses where that is more), in the kind it uses most of, rounded up.
     * Tasks are started while the user is below it, so the last one may go
     * beyond it; 100 %: no bound.
     * [user_limit; 0 to 100 %; 100 %] [CAP-17] */
    SKED_QUEUE_USER_LIMIT = 6,
    /* Higher goes first, in bands of shares and in the order `priority`.
     * [priority; -2^31 to 2^31-1; 0] */
    SKED_QUEUE_PRIORITY = 7,
    /* 1 is the most important; 0: none, after all others. Jobs of a better tier
     * are admitted first (max_running); it is no share and no order.
     * [tier; 0 to 255; 0] [MON-4] */
    SKED_QUEUE_TIER = 8,
    /* Whether what runs here may be preempted; "no" holds for the whole subtree,
     * and for every request: those of other queues, of other users and of higher
     * priority in the same leaf. [preempt_from; yes or no; yes, inherited]
     * [MON-11] */
    SKED_QUEUE_PREEMPT_FROM = 9,
    /* How long a queue must be below its guarantee before it may preempt, in
     * ns. [preempt_min_timeout; 0 or more, or unlimited = never; never,
     * inherited] [MON-11] */
    SKED_QUEUE_PREEMPT_MIN_TIMEOUT = 10,
    /* How long it must be below threshold * fair share before it may preempt,
     * likewise. [preempt_fair_timeout] [MON-11] */
    SKED_QUEUE_PREEMPT_FAIR_TIMEOUT = 11,
    /* The threshold of the fair time-out, in ppm. [preempt_fair_threshold; 0 to
     * 100 %; 50 %, inherited] [MON-11] */
    SKED_QUEUE_PREEMPT_FAIR_THRESHOLD = 12,
    /* The most that the application masters of a leaf may take together, in
     * ppm of what the leaf could have: its share, and what nothing else wants
     * within the limits of its path. None is started that would go beyond it,
     * but one always may where none runs. (In admission, admit.h, of what the
     * host says that the leaf may use.) Unlimited: no check.
     * [am_share; 0 to 100 %, or unlimited; unlimited] */
    SKED_QUEUE_AM_SHARE = 13,
    /* Guarantee as a part of the parent's guarantee (the root's is the
     * capacity), in ppm. Setting it clears SKED_QUEUE_GUARANTEE, and the
     * other way round. [guarantee=40%; 0 to 100 %; unset] [CAP-1] */
    SKED_QUEUE_GUARANTEE_PPM = 14,
    /* Limit as a part of the parent's limit, likewise. [limit=80%] [CAP-2] */
    SKED_QUEUE_LIMIT_PPM = 15,
    /* enum sked_state: a draining queue takes nothing new. [state; running] */
    SKED_QUEUE_STATE = 16,
    /* The most that one user of a leaf may hold, in ppm of what is guaranteed
     * to the leaf, in the kind it uses most of, whatever is idle; no bound in
     * kinds of which nothing is guaranteed. Beyond user_limit: the lesser of
     * the two bounds. As there, the last task may go beyond it. [user_factor; 0
     * to 1000 times (200% is twice), or unlimited; unlimited] [CAP-17] */
    SKED_QUEUE_USER_FACTOR = 17,

    /* The most tasks that start in the queue and below it in a second of the
     * host's time. The second begins with the first task that starts. A gang
     * starts as a whole once one task may; what it starts beyond the rate counts
     * in the seconds that follow. Tasks that start where a round of preemption
     * reserved nodes for them count, and wait for no rate; tasks that the engine
     * was told of (SKED_EVENT_TASK_RUNNING) do not count. Shares and claims go
     * by what is wanted, whatever the rate.
     * [start_rate; 1 to 2^31-1 or unlimited; unlimited] */
    SKED_QUEUE_START_RATE = 18,

    /* ---- One amount a kind; SKED_UNLIMITED where "no bound" ---- */

    /* What it gets before any other queue gets more than its own guarantee, as
     * soon as it wants it. Shares and targets count it first, and the engine
     * always places queues that are below their guarantee before all others,
     * whatever their order is; work that runs there already has to end, or to
     * be preempted. [guarantee; 0] [CAP-1] [PEL-8] */
    SKED_QUEUE_GUARANTEE = 32,
    /* The most it can hold. Beats the guarantee. [limit; unlimited] [CAP-2] */
    SKED_QUEUE_LIMIT = 33,
    /* The most it can hold above its guarantee. [borrow; unlimited] */
    SKED_QUEUE_BORROW = 34,
    /* The most of its unused guarantee that other queues may use meanwhile. The
     * engine keeps the rest free, so that it is there at once when it is
     * wanted; shares count it so too. [lend; unlimited] */
    SKED_QUEUE_LEND = 35,

    /* ---- Text ---- */

    /* A text of the host's own, such as which nodes the queue may use. It is
     * stored, copied and written, and no call reads it. [label] */
    SKED_QUEUE_LABEL = 48
};

/* Orders of a parent's children; names in the text form in brackets. */
enum sked_order_policy {
    SKED_ORDER_POLICY_DRF = 0,         /* least weighted dominant share [drf] */
    SKED_ORDER_POLICY_FAIR = 1,        /* least used / weight in one kind
                                          [fair] */
    SKED_ORDER_POLICY_UTILISATION = 2, /* least used / guaranteed
                                          [utilisation] */
    SKED_ORDER_POLICY_PRIORITY = 3,    /* priority, then utilisation
                                          [priority] */
    SKED_ORDER_POLICY_FIFO = 4,        /* order of adding [fifo] */
    SKED_ORDER_POLICY_RANDOM = 5,      /* equal probability, each pass
                                          [random] */
    SKED_ORDER_POLICY_SHARE = 6,       /* least used / its share [share] */
    SKED_ORDER_POLICY_HOST = 64        /* the host's keys: plain arrays only */
};

/* Orders of a leaf's applications. */
enum sked_apps_policy {
    SKED_APPS_FIFO = 0,      /* submission [fifo] */
    SKED_APPS_FAIR = 1,      /* least dominant usage / weight [fair] */
    SKED_APPS_PRIORITY = 2,  /* priority, then submission [priority] */
    SKED_APPS_SIZE = 3,      /* least pending dominant demand [size] */
    SKED_APPS_USER_FAIR = 4, /* least served user, then fifo [user-fair] */
    SKED_APPS_HOST = 64      /* the host's keys: plain arrays only */
};

enum sked_state {
    SKED_STATE_RUNNING = 0, /* [running] */
    SKED_STATE_DRAINING = 1 /* keeps what it has, gets nothing new [draining] */
};

#endif
