/*
 * A hundred instances in four zones get a new version, zone by zone, with at
 * most ten instances down at a time. In the third zone the new version does not
 * start: after five failures all instances go back. Each line is a minute with
 * a change, and each letter is an instance:
 *
 *   . the old version   o on its way   # the new version   x failed
 */
#include <sched/sked.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 100, ZONES = 4, BAD_ZONE = 2, OLD = 7, NEW = 8, TAKES = 2 };

static const int64_t minute = INT64_C(60) * 1000000000;

/* The instances, and the minutes at which they carry out their orders. */
static sked_life_instance instances[N];
static int ready_at[N]; /* -1: nothing was told */

static void must(sked_status rc, const sked_error *err)
{
    if (rc == SKED_OK) return;
    fprintf(stderr, "%s: %s\n", sked_status_name(rc), err->message);
    exit(1);
}

static uint32_t zone_of(int i)
{
    return (uint32_t)(i / (N / ZONES));
}

static sked_life_update *new_update(void)
{
    uint64_t from[N], to[N];
    uint32_t zone[N];
    sked_error err = {.message = ""};
    sked_life_update *update = NULL;
    sked_life_sla sla = {.struct_size = sizeof sla,
                         .type = SKED_LIFE_TYPE_STATELESS,
                         .most_unavailable = 10};
    sked_life_update_input input = {.struct_size = sizeof input,
                                    .from = from,
                                    .to = to,
                                    .zone = zone,
                                    .n = N};
    sked_life_update_options options = {
        .struct_size = sizeof options,
        .flags = SKED_LIFE_UPDATE_FLAG_ROLLBACK | SKED_LIFE_UPDATE_FLAG_ZONES,
        .batch = 10,
        .max_failures = 5,
        .max_attempts = 1,
        .sla = &sla};

    for (int i = 0; i < N; i++) {
        from[i] = OLD;
        to[i] = NEW;
        zone[i] = zone_of(i);
        ready_at[i] = -1;
        instances[i] = (sked_life_instance){.version = OLD,
                                            .desired = OLD,
                                            .state = SKED_LIFE_TASK_RUNNING,
                                            .goal = SKED_LIFE_TASK_RUNNING,
                                            .health = SKED_LIFE_HEALTH_HEALTHY};
    }
    must(sked_life_update_new(&input, &options, NULL, &update, &err), &err);
    return update;
}

/* Instances that have started for long enough run now, or have failed. */
static void let_time_pass(int now)
{
    for (int i = 0; i < N; i++) {
        sked_life_instance *one = &instances[i];
        if (ready_at[i] != now) continue;
        int fails = zone_of(i) == BAD_ZONE && one->desired == NEW;
        one->version = one->desired;
        one->failures = (uint32_t)fails;
        one->state = fails ? SKED_LIFE_TASK_FAILED : SKED_LIFE_TASK_RUNNING;
        ready_at[i] = -1;
    }
}

static void carry_out(const sked_life_order *orders, size_t n, int now)
{
    for (size_t i = 0; i < n; i++) {
        sked_life_instance *one = &instances[orders[i].row];
        one->desired = orders[i].version;
        one->state = SKED_LIFE_TASK_STARTING;
        one->failures = 0;
        ready_at[orders[i].row] = now + TAKES;
    }
}

static char letter_of(const sked_life_instance *one)
{
    if (one->state == SKED_LIFE_TASK_FAILED) return 'x';
    if (one->state != SKED_LIFE_TASK_RUNNING) return 'o';
    return one->version == OLD ? '.' : '#';
}

/* Returns how many are down. */
static int print_line(const sked_life_update *update, int now)
{
    sked_error err = {.message = ""};
    sked_life_update_stats r = {.struct_size = sizeof r};
    int down = 0;

    must(sked_life_update_get_stats(update, &r, &err), &err);
    printf("%3d %-17s", now,
           sked_life_table_of(SKED_LIFE_TABLE_UPDATE)->states[r.at.state].text);
    for (int i = 0; i < N; i++) {
        if (i % (N / ZONES) == 0) putchar(' ');
        putchar(letter_of(&instances[i]));
        down += instances[i].state != SKED_LIFE_TASK_RUNNING;
    }
    printf(" %2d down\n", down);
    return down;
}

int main(void)
{
    sked_error err = {.message = ""};
    sked_life_order orders[N];
    sked_life_update *update = new_update();
    sked_life_update_stats r = {.struct_size = sizeof r};
    size_t n;
    int most = 0, back = 0;

    printf("min state             zone 0                    zone 1"
           "                    zone 2                    zone 3\n");
    for (int now = 0; r.at.state < SKED_LIFE_UPDATE_STATE_SUCCEEDED; now++) {
        let_time_pass(now);
        must(sked_life_update_step(update, instances, N, now * minute, orders,
                                   N, &n, &err),
             &err);
        carry_out(orders, n, now);
        must(sked_life_update_get_stats(update, &r, &err), &err);
        if (!n && r.at.state < SKED_LIFE_UPDATE_STATE_SUCCEEDED) continue;
        int down = print_line(update, now);
        if (down > most) most = down;
    }
    for (int i = 0; i < N; i++) back += instances[i].version == OLD;
    printf("At most %d were down; %d of %d run the old version.\n", most, back,
           N);
    sked_life_update_free(update);
    return most <= 10 && back == N ? 0 : 1;
}
