/* Every invariant of an engine, broken on purpose, is found and named. */
#include "engine_scene.h"

#include "engine/reservation.h"
#include "engine/store.h"
#include "engine/exclusion.h"
#include "engine/alloc.h"
#include "engine/queue.h"
#include "engine/pending.h"
#include "engine/wants.h"
#include "engine/preempt.h"
#include "engine/state.h"

/* Two partitions, two leaves, users with limits, proposals, waiting jobs and
 * asks of every sort. */
static void live_a_little(engine_fixture *f)
{
    sked_engine_options o = {.struct_size = sizeof o,
                             .confirm_within_ns = 100,
                             .max_user_running = 2};
    sked_queue_id up = engine_queue(f, f->root, "up");
    sked_queue_id a = engine_queue(f, up, "a");
    sked_queue_id b = engine_queue(f, up, "b");

    engine_set(f, a, SKED_QUEUE_USER_LIMIT, 100000);
    engine_begin(f, &o);
    engine_add_node(f, 1, 0, 10, 10);
    engine_add_node(f, 2, 1, 10, 10);
    for (uint64_t j = 1; j <= 6; j++)
        engine_add_job(f, j, j % 2 ? a : b, j % 3);
    for (uint64_t i = 1; i <= 8; i++) {
        sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                          .key = i,
                          .owner = 1 + i % 6,
                          .count = 3,
                          .amount = 1,
                          .partition = i % 3 ? (uint32_t)(i % 2)
                                             : SKED_ANY_PARTITION};
        assert_ok(engine_say(f, ask, 1 + (int64_t)i % 2, 1));
    }
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 1));
    f->now = 1;
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_ok(sked_engine_check(f->engine, NULL));
}

static void found(engine_fixture *f, const char *what)
{
    sked_error err = {.code = SKED_OK};

    if (sked_engine_check(f->engine, &err) == SKED_OK) {
        fail_msg("nothing found, where %s is broken", what);
    }
    assert_status(SKED_ERR_INTERNAL, err.code);
    assert_string_equal(err.message, what);
}

/* A value that is another for a while. */
#define BREAK(place, value, what)                                              \
    do {                                                                       \
        unsigned char kept_[sizeof(place)];                                    \
        memcpy(kept_, &(place), sizeof(place));                                \
        (place) = (value);                                                     \
        found(f, what);                                                        \
        memcpy(&(place), kept_, sizeof(place));                                \
        assert_ok(sked_engine_check(f->engine, NULL));                         \
    } while (0)

/* The first thing of a sort that is so. */
#define FIRST(n, i, so)                                                        \
    for (i = 0; i < (n) && !(so); i++) continue

static void what_is_refused_is_checked(void **state)
{
    static const int32_t offsets[] = {0, 2};
    static const uint64_t nodes[] = {1, 2};
    engine_fixture *f = *state;
    sked_event event = {.kind = SKED_EVENT_ASK_EXCLUDE, .key = 1, .places = 1};
    const sked_events batch = {.struct_size = sizeof batch,
                               .events = &event,
                               .n = 1,
                               .place_offsets = offsets,
                               .places = nodes,
                               .n_places = 1};

    live_a_little(f);
    event.time = f->now;
    assert_ok(sked_engine_apply(f->engine, &batch, NULL, &f->err));
    sked_engine *e = f->engine;
    uint32_t b;
    FIRST(e->bans.n, b, ban_at(e, b)->n_excluded == 2);
    assert_true(b < e->bans.n);
    BREAK(ban_at(e, b)->excluded[1], 1, "what is refused");
    BREAK(e->ready, e->ready + 1, "asks that wait to stand in line");
}

static void books_are_checked(void **state)
{
    engine_fixture *f = *state;
    uint32_t a, g, j;

    live_a_little(f);
    sked_engine *e = f->engine;
    FIRST(e->asks.n, a,
          ask_at(e, a)->live && ask_at(e, a)->open > 0 &&
              ask_at(e, a)->first_entry != SKEDI_NONE);
    assert_true(skedi_ranges_reserve(e, 1));
    engine_extra *extra = skedi_extra_take(e, a);
    uint32_t range = skedi_pool_take(&e->ranges);
    ((engine_range *)e->ranges.item)[range] = (engine_range){0, 0, SKEDI_NONE,
                                                             0};
    BREAK(extra->behind, 1, "open tasks of an ask");
    BREAK(extra->ranges, range, "an empty range");
    skedi_pool_give(&e->ranges, range);
    BREAK(ask_at(e, a)->first_entry, SKEDI_NONE, "entries of an ask");
    BREAK(ask_at(e, a)->key, 77, "key of an ask");
    FIRST(e->groups.n, g, group_at(e, g)->state != GROUP_FREE_SLOT);
    BREAK(group_at(e, g)->count, group_at(e, g)->count + 1,
          "free amounts of a node");
    BREAK(e->released[0], 1, "what released tasks hold");
    uint32_t ask = group_at(e, g)->ask;
    BREAK(ask_at(e, ask)->first_group, SKEDI_NONE, "an ask that is over");
    BREAK(e->extras.live, 9, "extras of asks");
    BREAK(e->stats.jobs, 99, "counters");
    BREAK(e->stats.jobs_waiting, 99, "counters");
    BREAK(e->stats.asks, 99, "counters");
    BREAK(e->stats.running_tasks, 99, "counters");
    BREAK(e->stats.nodes, 99, "counters");
    BREAK(group_at(e, g)->state, GROUP_HELD, "lists of groups");
    BREAK(group_at(e, e->first_proposed)->deadline_from, 50,
          "order of proposals");
    size_t root = 0;
    BREAK(e->rows.used[root], e->rows.used[root] + 1, "usage of a queue");
    int64_t *cell = cell_row(e, e->cell_used, cell_of(e, 1, 0));
    BREAK(*cell, *cell + 1, "usage of a parent");
    FIRST(e->jobs.n, j, job_at(e, j)->state == JOB_RUNNING);
    BREAK(*engine_row_of(e, &e->job_used, j), 55, "usage of jobs");
    BREAK(e->rows.running[1], 9, "running applications of a queue");
    BREAK(job_at(e, j)->key, 77, "key of a job");
    BREAK(e->stats.open_tasks, 1, "counters");
    BREAK(e->stats.groups, 1, "counters");
}

static void lines_and_families_are_checked(void **state)
{
    engine_fixture *f = *state;
    uint32_t x, s;

    live_a_little(f);
    sked_engine *e = f->engine;
    FIRST(e->entries.n, x, entry_at(e, x)->live);
    engine_entry *entry = entry_at(e, x);
    engine_cell *cell = &e->cells[entry->cell];
    uint32_t row = entry->cell / e->parts, p = entry->cell % e->parts;
    uint32_t up = (uint32_t)e->rows.parent[row];
    engine_cell *above = &e->cells[cell_of(e, up, p)];
    uint32_t place = row - e->rows.first_child[up];
    engine_partition *part = &e->partition[p];

    BREAK(entry->cell, entry->cell + 1, "an entry");
    entry->place ^= 64;
    found(f, "an entry in its line");
    entry->place ^= 64;
    uint32_t a;
    FIRST(e->asks.n, a,
          ask_at(e, a)->live && ask_at(e, a)->open > 0 &&
              ask_at(e, a)->partition != SKED_ANY_PARTITION);
    BREAK(ask_at(e, a)->partition, SKED_ANY_PARTITION, "entries of an ask");
    BREAK(ask_at(e, a)->partition, 1 - ask_at(e, a)->partition, "an entry");
    BREAK(part->classes, part->classes | UINT64_C(1) << 40,
          "entries of a class");
    BREAK(e->cells[p].full, UINT64_C(1) << 41, "full classes of a queue");
    BREAK(cell->bounded, !cell->bounded, "whether a queue has a bound");
    BREAK(cell->under_bound, !cell->under_bound, "whether a queue has a bound");
    BREAK(cell->promised, !cell->promised, "whether a queue has a guarantee");
    BREAK(entry->key, 1, "key of an entry");
    uint8_t *classes = (uint8_t *)cell->entry - cell->entry_cap;
    BREAK(classes[entry->place], 62, "bits of an entry");
    BREAK(cell->turn.mask[1], 0, "what a queue offers");
    BREAK(above->turn.mask[above->turn.width + place], 0,
          "what a queue offers");
    BREAK(above->turn.winner[above->turn.width + place], SKEDI_NO_PLACE,
          "a queue among its siblings");
    BREAK(e->cell_order[entry->cell].low, 5, "key of a queue");
    BREAK(e->cells[cell_of(e, 0, p)].open, 99, "open asks below a queue");
    BREAK(part->class_count[5], 3, "entries of a class");
    BREAK(part->mixed[2].shapes, 1, "shapes of a mixed class");
    uint32_t shape = ask_at(e, entry->ask)->shape;
    BREAK(part->class_of[shape], SKEDI_NO_CLASS, "class of an entry");
    BREAK(e->cells[p].turned, 1, "full classes of a queue");
    FIRST(e->accounts.n, s, account_at(e, s)->entries > 0);
    BREAK(account_at(e, s)->entries, 9, "tasks and asks of a user");
    BREAK(account_at(e, s)->groups, 9, "tasks and asks of a user");
    BREAK(e->accounts.live, 99, "lists of accounts");
    BREAK(*engine_row_of(e, &e->account_used, s), 99, "what a user holds");
    BREAK(*engine_row_of(e, &e->account_paid, s), 99,
          "what is paid for a user");
    BREAK(e->cells[account_at(e, s)->cell].account_weight, 99,
          "lists of accounts");
    BREAK(e->cells[account_at(e, s)->cell].lead, 9, "the kind users count in");
    BREAK(((engine_user *)e->users.item)[0].running, 9, "jobs of a user");
    FIRST(e->accounts.n, s,
          account_at(e, s)->groups && !account_at(e, s)->entries);
    BREAK(account_at(e, s)->blocked, 1, "a user blocked for nothing");
    BREAK(e->rows.best[0], 0, "waiting jobs of a queue");
}

static void waiting_jobs_are_checked(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id leaf = engine_queue(f, f->root, "leaf");

    engine_set(f, leaf, SKED_QUEUE_MAX_RUNNING, 0);
    engine_begin(f, NULL);
    for (uint64_t j = 1; j <= 3; j++) engine_add_job(f, j, leaf, 0);
    sked_engine *e = f->engine;
    BREAK(job_at(e, 1)->place, 2, "waiting jobs of a queue");
    skedi_tourney *t = &e->rows.wait[1];
    BREAK(t->mask[t->width + 1], 0, "waiting jobs of a queue");
    BREAK(t->winner[1], 2, "waiting jobs of a queue");
}

/* Winners, too: three open asks in each line, of which one stands in order and
 * the other holds a tournament. */
static void orders_are_checked(void **state)
{
    engine_fixture *f = *state;
    sked_queue_id a = engine_queue(f, f->root, "a");
    sked_queue_id b = engine_queue(f, f->root, "b");

    engine_set(f, b, SKED_QUEUE_APPS, SKED_APPS_FAIR);
    engine_begin(f, NULL);
    engine_add_job(f, 1, a, 0);
    engine_add_job(f, 2, b, 0);
    for (uint64_t i = 1; i <= 3; i++) {
        assert_ok(engine_add_ask(f, i, 1, 1, 1, 1));
        assert_ok(engine_add_ask(f, 10 + i, 2, 1, 1, 1));
    }
    sked_engine *e = f->engine;
    BREAK(e->cells[0].turn.winner[1], 1, "order of siblings");
    engine_cell *steady = &e->cells[cell_of(e, 1, 0)];
    engine_cell *played = &e->cells[cell_of(e, 2, 0)];
    BREAK(steady->open, 9, "open asks below a queue");
    uint32_t ask = entry_at(e, steady->entry[0])->ask;
    BREAK(ask_at(e, ask)->arrival, 99, "order of a leaf");
    steady->turn.mask[1] ^= 1u << 9;
    assert_int_equal(skedi_steady_is_sound(e, steady), 0);
    steady->turn.mask[1] ^= 1u << 9;
    BREAK(steady->there, 2, "order of a leaf");
    BREAK(steady->first, 1, "order of a leaf");
    uint32_t last = steady->entry[steady->entries - 1];
    steady->entry[steady->entries - 1] = SKEDI_NONE;
    assert_int_equal(skedi_steady_is_sound(e, steady), 0);
    steady->entry[steady->entries - 1] = last;
    BREAK(steady->entry[2], SKEDI_NONE, "open asks of a leaf");
    skedi_tourney *t = &played->turn;
    BREAK(t->winner[1], 2, "order of a leaf");
    BREAK(t->winner[t->width + 2], SKEDI_NO_PLACE, "open asks of a leaf");
}

/* A queue that is over, one that is owed, and a job that was withdrawn while
 * its tasks ran. */
static void what_rounds_keep_is_checked(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 3);
    engine_add_node(f, 2, 0, 2, 2);
    engine_add_job(f, 3, s.b, 3);
    assert_ok(engine_add_ask(f, 3, 3, 2, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    (void)scene_hold(f, 3);
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 2));
    sked_engine *e = f->engine;
    struct engine_preempt *p = e->preempt;
    assert_false(p->classes.stale);
    victim_class *class = victim_class_at(&p->classes, 0);
    assert_true(class->name != 0 && class->groups > 0);
    BREAK(p->classes.place[class->last].class, 999,
          "a group among its siblings");
    BREAK(class->groups, class->groups + 1, "a victim class");
    BREAK(class->groups, class->groups - 1, "a victim class");
    BREAK(class->name, 0, "groups without a victim class");
    assert_true(p->wanted.ready && p->vacant.blocks > 0);
    BREAK(p->wanted.sum[0], 77, "what is wanted of a queue");
    assert_true(skedi_vacant_ready(e));
    BREAK(p->vacant.most[0], -1, "what is free of a block");
    assert_ok(engine_tell(f, SKED_EVENT_JOB_CANCEL, 1));
    assert_true(e->first_killed != SKEDI_NONE);
    BREAK(e->first_killed, SKEDI_NONE, "list of killed groups");
}

/* Asks of a job stand in one list, and an ask that is over is forgotten. */
static void lists_of_asks_are_checked(void **state)
{
    engine_fixture *f = *state;
    sked_event ask = {.kind = SKED_EVENT_ASK_ADD,
                      .owner = 1,
                      .count = 1,
                      .amount = 1,
                      .flags = SKED_ASK_KEEP};

    sked_queue_id leaf = engine_alone(f, NULL, 10, 10, 0);
    engine_add_job(f, 2, leaf, 0);
    for (ask.key = 1; ask.key <= 3; ask.key++) {
        assert_ok(engine_say(f, ask, 1, 1));
    }
    assert_ok(engine_say(
        f, (sked_event){.kind = SKED_EVENT_ASK_CHANGE, .key = 2}, 0, 0));
    sked_engine *e = f->engine;
    uint32_t over = skedi_keymap_get(&e->ask_of, 2);
    ask_at(e, over)->flags ^= SKED_ASK_KEEP;
    found(f, "an ask that is over");
    ask_at(e, over)->flags ^= SKED_ASK_KEEP;
    ask_at(e, over)->closed = 1;
    found(f, "an ask that is over");
    ask_at(e, over)->closed = 0;
    uint32_t first = job_at(e, 0)->first_ask, next = ask_at(e, first)->next;
    BREAK(ask_at(e, next)->prev, next, "asks of a job");
    BREAK(ask_at(e, next)->next, SKEDI_NONE, "lists of asks");
    BREAK(ask_at(e, first)->job, 1, "asks of a job");
}

/* Masters, guarantees of which one is not met, and room that is kept. */
static void shares_are_checked(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);
    const int64_t lend[] = {2, SKED_UNLIMITED};
    uint32_t w;

    engine_set(f, s.a, SKED_QUEUE_AM_SHARE, 500000);
    assert_ok(sked_tree_set_vec(f->tree, s.a, SKED_QUEUE_LEND, lend, NULL));
    engine_begin(f, NULL);
    scene_preempt(f, &s);
    engine_add_node(f, 2, 0, 10, 100);
    engine_add_job(f, 3, s.a, 1);
    assert_ok(engine_say(f,
                         (sked_event){.kind = SKED_EVENT_ASK_ADD,
                                      .key = 3,
                                      .owner = 3,
                                      .count = 2,
                                      .amount = 1,
                                      .flags = SKED_ASK_MASTER},
                         1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    scene_fill(f, &s, 8);
    assert_ok(engine_add_ask(f, 4, 1, 9, 1, 1));
    (void)scene_hold(f, 3);
    sked_engine *e = f->engine;
    assert_true(e->shared && e->mastered && e->lends);
    uint32_t row = 1; /* a leaf */
    int64_t *booked = cell_row(e, e->cell_booked, cell_of(e, row, 0));
    BREAK(*booked, *booked + 1, "what counts as held by a queue");
    int64_t *reserved = cell_row(e, e->cell_reserved, cell_of(e, row, 0));
    BREAK(reserved[0], reserved[0] + 1, "what is reserved in a queue");
    booked = cell_row(e, e->cell_booked, cell_of(e, 0, 0));
    BREAK(*booked, *booked - 1, "what counts as held by a queue");
    if (cell_row(e, e->cell_masters, cell_of(e, row, 0))[0] == 0) row = 2;
    int64_t *masters = cell_row(e, e->cell_masters, cell_of(e, row, 0));
    BREAK(masters[0], masters[0] + 1, "what masters hold");
    BREAK(masters[1], 0, "what masters hold");
    FIRST(e->wants.n, w, want_at(e, w)->name);
    BREAK(want_at(e, w)->tasks, want_at(e, w)->tasks + 1, "what a leaf wants");
    BREAK(want_at(e, w)->tasks, 0, "what a leaf wants");
    BREAK(want_at(e, w)->name, 0, "what leaves want");
    skedi_tourney *below = &e->cell_standing[cell_of(e, 0, 0)].below;
    BREAK(below->mask[1], below->mask[1] ^ 4, "queues below their guarantee");
    BREAK(below->winner[1], below->winner[1] == 1 ? 0 : 1,
          "queues below their guarantee");
}

/* Queues whose names are alike by chance are kept apart: here one that is there
 * has been given the name that the next will have. */
static void queues_of_one_name_stay_apart(void **state)
{
    engine_fixture *f = *state;
    scene s = scene_begin(f);

    scene_preempt(f, &s);
    scene_fill(f, &s, 0);
    engine_add_node(f, 2, 0, 5, 5);
    assert_ok(engine_add_ask(f, 2, 2, 5, 1, 1));
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    engine_add_job(f, 3, s.b, 3);
    assert_ok(engine_add_ask(f, 3, 3, 1, 1, 1));
    (void)scene_hold(f, 3); /* from here on classes are kept up */
    sked_engine *e = f->engine;
    victim_classes *classes = &e->preempt->classes;
    assert_false(classes->stale);
    assert_int_equal(classes->pool.live, 2);
    victim_class *other = victim_class_at(classes, 0),
                 *own = victim_class_at(classes, 1);
    uint64_t name = own->name;
    uint64_t group = skedi_group_name(e, own->last);
    assert_ok(engine_end(f, SKED_EVENT_TASK_LOST, group, 5));
    assert_int_equal(classes->pool.live, 1);
    skedi_keymap_remove(&classes->of, other->name);
    other->name = name;
    skedi_keymap_put(&classes->of, name, 0);
    assert_ok(engine_tell(f, SKED_EVENT_HEARTBEAT, 2));
    assert_int_equal(classes->pool.live, 2);
    assert_true(victim_class_at(classes, 1)->name == name + 2);
    assert_int_equal(victim_class_at(classes, 1)->tasks, 5);
    assert_ok(sked_engine_check(e, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        engine_case(what_is_refused_is_checked),
        engine_case(books_are_checked),
        engine_case(lines_and_families_are_checked),
        engine_case(waiting_jobs_are_checked),
        engine_case(orders_are_checked),
        engine_case(what_rounds_keep_is_checked),
        engine_case(lists_of_asks_are_checked),
        engine_case(shares_are_checked),
        engine_case(queues_of_one_name_stay_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
