#ifndef SKED_GO_HOST_H
#define SKED_GO_HOST_H
#include "sked.h"

/* A host and the flag that cancels its calls. */
typedef struct sked_go_host {
    sked_host host;
    int32_t cancel;
} sked_go_host;

/* Sets the hooks whose bit is in `which`. */
void sked_go_hooks(sked_host *host, uintptr_t user, uint32_t which);

/* The hooks of a simulation's records, for `user`. */
sked_status sked_go_sim_run(sked_sim *sim, uintptr_t user, sked_error *err);
sked_status sked_go_sim_run_until(sked_sim *sim, sked_time until,
                                  uintptr_t user, sked_error *err);

/* The columns of a call are put together on C's stack: a struct of Go with
 * pointers of Go in it must not cross. */
sked_status sked_go_apply(sked_engine *engine, const sked_event *events,
                          size_t n, const int64_t *amounts, size_t n_amounts,
                          const int32_t *place_offsets, const uint64_t *places,
                          size_t n_places, const uint32_t *place_tasks,
                          const sked_time *moments, const int64_t *tasks,
                          uint64_t *done, sked_error *err);

/* The same where the batch has attributes, rules or gangs over nodes. */
sked_status sked_go_apply_rules(
    sked_engine *engine, const sked_event *events, size_t n,
    const int64_t *amounts, size_t n_amounts, const int32_t *place_offsets,
    const uint64_t *places, size_t n_places, const uint32_t *place_tasks,
    const sked_time *moments, const int64_t *tasks,
    const int32_t *attribute_offsets, const sked_rule_attribute *attributes,
    size_t n_attributes, const int32_t *rule_offsets,
    const sked_rule_term *rule_terms, size_t n_rules,
    const int64_t *rule_values, size_t n_rule_values,
    const sked_event_gang *gangs, const sked_event_charge *charges,
    uint64_t *done, sked_error *err);
sked_status sked_go_reconcile(sked_engine *engine, const sked_event *events,
                              size_t n, const int64_t *amounts,
                              size_t n_amounts, const int32_t *place_offsets,
                              const uint64_t *places, size_t n_places,
                              const uint32_t *place_tasks,
                              const sked_time *moments, const int64_t *tasks,
                              const int32_t *attribute_offsets,
                              const sked_rule_attribute *attributes,
                              size_t n_attributes, const int32_t *rule_offsets,
                              const sked_rule_term *rule_terms, size_t n_rules,
                              const int64_t *rule_values, size_t n_rule_values,
                              const sked_event_gang *gangs,
                              const sked_event_charge *charges,
                              sked_engine_difference *differences, size_t cap,
                              size_t *n_differences, sked_error *err);
int sked_go_compare_dominant(const int64_t *capacity, const int64_t *a,
                             uint32_t a_weight, const int64_t *b,
                             uint32_t b_weight, size_t n);
#endif
