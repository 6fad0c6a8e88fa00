#ifndef SKEDI_ENGINE_MATCHING_H
#define SKEDI_ENGINE_MATCHING_H

/*
 * What an engine knows of nodes beside their amounts: what they are, which
 * rules take them, which work there has which tags, how many tasks of a gang
 * fit.
 */

#include <sched/event.h>

#include "base/heap.h"
#include "engine/store.h"

/* Classes of which every ask refuses a node (core/refusers.h). */
typedef struct engine_refusers {
    uint64_t classes;
    uint64_t joins;  /* asks that came into line later were not asked */
    uint64_t epoch;  /* of the node, with which some refusal lapses; or 0 */
    sked_time until; /* when the first of the refusals lapses */
} engine_refusers;

/* What a node is. */
typedef struct engine_traits {
    sked_rule_attribute *at;
    uint64_t n;
} engine_traits;

/* The nodes that a rule takes; asks with the same rule share it. */
typedef struct engine_rule_set {
    uint64_t name;         /* in the map of sets */
    sked_rule_term *terms; /* values packed in the order of terms */
    int64_t *values;
    uint32_t n_terms;
    uint32_t n_values;
    uint32_t uses;   /* shapes, soft rules and the rules beside these */
    uint32_t counts; /* 1: it says something of work */
} engine_rule_set;

/* A soft rule of an ask. */
typedef struct engine_preference {
    sked_time until; /* or SKED_UNSET */
    uint32_t set;
    uint32_t weight;
    uint32_t nodes; /* that meet it with all that is in force before it */
    uint32_t holds; /* 1: it is in force */
} engine_preference;

/* The soft rules of one ask. */
typedef struct engine_preferred {
    uint64_t name; /* its number and 1 */
    uint32_t n;
    uint32_t own; /* the set of its rule, or SKEDI_NONE */
    engine_preference at[SKED_MAX_ASK_PREFERENCES]; /* the heaviest first */
    uint32_t stale; /* 1: it may be to go by another set */
    uint32_t unused;
} engine_preferred;

/* Nothing is kept here before the first soft rule. */
typedef struct engine_preferences {
    engine_pool lists; /* engine_preferred */
    skedi_keymap of;
    skedi_heap due; /* lists, by the moment at which something is dropped */
    uint32_t stale; /* lists */
} engine_preferences;

/* Tasks of gangs over nodes that are alike: nodes take as many of each. */
typedef struct engine_fit {
    uint64_t name; /* in the map of fits */
    uint32_t uses; /* shapes */
    uint32_t set;
    uint32_t per_node; /* at most so many on one node */
    uint32_t unused;
    uint64_t same; /* attribute of which its nodes share a value, or 0 */
} engine_fit;

/* Nothing is kept here before the first gang over nodes. */
typedef struct engine_fits {
    engine_pool pool;    /* engine_fit */
    engine_amounts task; /* what a task takes */
    skedi_keymap of;     /* by hash, as shapes */
    uint32_t *on;        /* node x width: so many tasks fit there */
    size_t cap;          /* nodes that there is memory for */
    size_t width;
    uint32_t moved; /* the first node to be counted on anew, or SKEDI_NONE */
} engine_fits;

/* A predicate of the host's that rules in use name. */
typedef struct engine_predicate {
    uint64_t key;
    uint64_t digest; /* of what is said of nodes, in any order of these */
    uint32_t uses;   /* terms of sets */
    uint32_t unused;
} engine_predicate;

/* What the host answers. Nothing is kept here before the first predicate. */
typedef struct engine_predicates {
    engine_pool pool; /* engine_predicate */
    skedi_keymap of;
    uint8_t *said; /* node x width: an enum sked_rule_answer for each, and a row
                      more for what is said of a node before it is changed */
    size_t cap;    /* nodes that there is memory for */
    size_t width;
} engine_predicates;

/* What nodes are, and what rules take them. Nothing is kept here before the
 * first event that speaks of either. */
typedef struct engine_rules {
    engine_pool sets;      /* engine_rule_set */
    skedi_keymap set_of;   /* by hash, as shapes */
    engine_traits *traits; /* by node */
    uint64_t *takes;       /* node x words: a bit for each set */
    size_t cap;            /* nodes that there is memory for */
    uint32_t words;
    uint32_t counting; /* sets that say something of work */
    engine_predicates predicates;
    int used; /* 1: something was said */
} engine_rules;

/* A tag that asks have. */
typedef struct engine_tag {
    uint64_t key;
    uint32_t uses; /* asks */
    uint32_t unused;
} engine_tag;

/* The tags of one ask. */
typedef struct engine_tag_list {
    uint64_t name; /* its number and 1 */
    uint32_t *tag; /* in the order of keys */
    uint32_t n;
    uint32_t unused;
} engine_tag_list;

/* Tasks with one tag somewhere, or more than none. */
typedef struct engine_tally {
    uint64_t name; /* tag and where */
    int64_t count;
    uint64_t unused;
} engine_tally;

typedef struct engine_tags {
    engine_pool known;   /* engine_tag */
    engine_pool lists;   /* engine_tag_list */
    engine_pool tallies; /* engine_tally */
    skedi_keymap tag_of;
    skedi_keymap list_of;
    skedi_keymap tally_of;
} engine_tags;

/* An attribute by which some rule counts tasks, or of which the nodes of a gang
 * share a value. */
typedef struct engine_domain_key {
    uint64_t key;
    uint32_t *at; /* its domains, by partition, then by value */
    size_t cap;
    uint32_t n;
    uint32_t uses; /* terms of sets, and fits */
    uint32_t unused[2];
} engine_domain_key;

/* Nodes of a partition that share a value of such an attribute. */
typedef struct engine_domain {
    int64_t value;
    uint32_t partition;
    uint32_t nodes; /* 0: a free slot */
    uint64_t tasks; /* scratch: of a gang, that its nodes take */
    uint64_t holds; /* scratch: that they hold when they are empty */
} engine_domain;

typedef struct engine_domains {
    engine_pool keys; /* engine_domain_key */
    engine_pool all;  /* engine_domain */
    skedi_keymap key_of;
} engine_domains;

#endif
