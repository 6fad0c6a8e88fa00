#include "host.h"

#include "_cgo_export.h"

static void log_line(void *user, int32_t level, const char *line)
{
    skedGoLog((uintptr_t)user, level, (char *)line);
}

static void trace(void *user, const sked_trace *record)
{
    skedGoTrace((uintptr_t)user, (sked_trace *)record);
}

static sked_time now(void *user)
{
    return skedGoClock((uintptr_t)user);
}

static uint64_t draw(void *user)
{
    return skedGoRandom((uintptr_t)user);
}

static sked_status progress(void *user, uint64_t done, uint64_t total)
{
    return skedGoProgress((uintptr_t)user, done, total);
}

void sked_go_hooks(sked_host *host, uintptr_t user, uint32_t which)
{
    host->user = (void *)user;
    host->log = which & 1 ? log_line : NULL;
    host->trace = which & 2 ? trace : NULL;
    host->clock = which & 4 ? now : NULL;
    host->random = which & 8 ? draw : NULL;
    host->progress = which & 16 ? progress : NULL;
}

static sked_status watch(void *user, const sked_sim_record *record, size_t n)
{
    return skedGoWatch((uintptr_t)user, (sked_sim_record *)record, n);
}

sked_status sked_go_sim_run(sked_sim *sim, uintptr_t user, sked_error *err)
{
    return sked_sim_run(sim, user ? watch : NULL, (void *)user, err);
}

sked_status sked_go_sim_run_until(sked_sim *sim, sked_time until,
                                  uintptr_t user, sked_error *err)
{
    return sked_sim_run_until(sim, until, user ? watch : NULL, (void *)user,
                              err);
}

sked_status sked_go_apply(sked_engine *engine, const sked_event *events,
                          size_t n, const int64_t *amounts, size_t n_amounts,
                          const int32_t *place_offsets, const uint64_t *places,
                          size_t n_places, const uint32_t *place_tasks,
                          const sked_time *moments, const int64_t *tasks,
                          uint64_t *done, sked_error *err)
{
    sked_events columns = {.struct_size = sizeof columns,
                           .events = events,
                           .n = n,
                           .amounts = amounts,
                           .n_amounts = n_amounts,
                           .place_offsets = place_offsets,
                           .places = places,
                           .n_places = n_places,
                           .place_tasks = place_tasks,
                           .moments = moments,
                           .tasks = tasks};
    return sked_engine_apply(engine, &columns, done, err);
}

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
    uint64_t *done, sked_error *err)
{
    sked_events columns = {.struct_size = sizeof columns,
                           .events = events,
                           .n = n,
                           .amounts = amounts,
                           .n_amounts = n_amounts,
                           .place_offsets = place_offsets,
                           .places = places,
                           .n_places = n_places,
                           .place_tasks = place_tasks,
                           .moments = moments,
                           .tasks = tasks,
                           .attribute_offsets = attribute_offsets,
                           .attributes = attributes,
                           .n_attributes = n_attributes,
                           .rule_offsets = rule_offsets,
                           .rule_terms = rule_terms,
                           .n_rules = n_rules,
                           .rule_values = rule_values,
                           .n_rule_values = n_rule_values,
                           .gangs = gangs,
                           .charges = charges};
    return sked_engine_apply(engine, &columns, done, err);
}

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
                              size_t *n_differences, sked_error *err)
{
    sked_events truth = {.struct_size = sizeof truth,
                         .events = events,
                         .n = n,
                         .amounts = amounts,
                         .n_amounts = n_amounts,
                         .place_offsets = place_offsets,
                         .places = places,
                         .n_places = n_places,
                         .place_tasks = place_tasks,
                         .moments = moments,
                         .tasks = tasks,
                         .attribute_offsets = attribute_offsets,
                         .attributes = attributes,
                         .n_attributes = n_attributes,
                         .rule_offsets = rule_offsets,
                         .rule_terms = rule_terms,
                         .n_rules = n_rules,
                         .rule_values = rule_values,
                         .n_rule_values = n_rule_values,
                         .gangs = gangs,
                         .charges = charges};
    return sked_engine_reconcile(engine, &truth, differences, cap,
                                 n_differences, err);
}

int sked_go_compare_dominant(const int64_t *capacity, const int64_t *a,
                             uint32_t a_weight, const int64_t *b,
                             uint32_t b_weight, size_t n)
{
    sked_vec_weighted one = {.vec = a, .weight = a_weight};
    sked_vec_weighted other = {.vec = b, .weight = b_weight};
    return sked_vec_compare_dominant(capacity, &one, &other, n);
}
