#ifndef PLANTED_MANAGER_H
#define PLANTED_MANAGER_H

#include <sched/sked_test.h>

/* A right manager (bug 0), and wrong ones that differ by a few lines each. */
/* clang-format off */
#define PLANTED_MANAGERS(X)                                                    \
    X(no_capacity)                                                             \
    X(one_too_many_on_a_node)                                                  \
    X(first_kind_only)                                                         \
    X(gang_counts_once)                                                        \
    X(no_limits)                                                               \
    X(no_parent_limits)                                                        \
    X(no_leaf_limits)                                                          \
    X(limit_passed_by_one)                                                     \
    X(limit_one_too_low)                                                       \
    X(no_user_limits)                                                          \
    X(user_limit_of_the_leaf_only)                                             \
    X(users_share_one_limit)                                                   \
    X(uses_down_nodes)                                                         \
    X(uses_drained_nodes)                                                      \
    X(no_partitions)                                                           \
    X(forgets_that_nodes_come_back)                                            \
    X(never_sees_a_new_size)                                                   \
    X(last_node_is_forgotten)                                                  \
    X(first_node_only)                                                         \
    X(idle_small_nodes)                                                        \
    X(never_places)                                                            \
    X(one_decision_a_step)                                                     \
    X(head_of_line_blocks)                                                     \
    X(blocked_queue_stops_all)                                                 \
    X(decides_for_ever)                                                        \
    X(starves_the_last_queue)                                                  \
    X(no_guarantees)                                                           \
    X(guarantees_of_leaves_only)                                               \
    X(guarantee_one_too_low)                                                   \
    X(no_weights)                                                              \
    X(weights_turned_round)                                                    \
    X(weight_3_for_2)                                                          \
    X(shares_by_first_kind)                                                    \
    X(first_queue_first)                                                       \
    X(shares_of_leaves_only)                                                   \
    X(parents_in_order)                                                        \
    X(no_priority)                                                             \
    X(priority_turned_round)                                                   \
    X(last_come_first)                                                         \
    X(lost_goes_last)                                                          \
    X(gangs_one_by_one)                                                        \
    X(half_a_gang)                                                             \
    X(loses_lost_tasks)                                                        \
    X(lost_tasks_twice)                                                        \
    X(done_tasks_again)                                                        \
    X(ignores_cancel)                                                          \
    X(leaks_nodes)                                                             \
    X(leaks_queues)                                                            \
    X(leaks_lost)                                                              \
    X(frees_twice)                                                             \
    X(starts_twice)                                                            \
    X(restart_forgets_running)                                                 \
    X(restart_queues_running_again)                                            \
    X(fails_on_a_third_user)                                                   \
    X(names_the_wrong_node)                                                    \
    X(never_preempts)                                                          \
    X(kills_for_nothing)                                                       \
    X(kills_one_too_many)                                                      \
    X(kills_the_guaranteed)                                                    \
    X(victims_are_forgotten)                                                   \
    X(starts_elsewhere)                                                        \
    X(says_no_node_for_limits)                                                 \
    X(says_limit_for_nodes)                                                    \
    X(third_kind_is_ignored)                                                   \
    X(only_sixteen_nodes)                                                      \
    X(amounts_of_32_bits)                                                      \
    X(amounts_in_doubles)                                                      \
    X(any_partition_is_the_first)                                              \
    X(limit_0_is_none)                                                         \
    X(gang_passes_limits)                                                      \
    X(gang_of_two)                                                             \
    X(gang_on_one_node)                                                        \
    X(priority_of_16_bits)                                                     \
    X(priority_of_8_bits)                                                      \
    X(negative_priority_is_0)                                                  \
    X(looks_at_four_jobs)                                                      \
    X(weight_of_16_bits)                                                       \
    X(shares_by_tasks)                                                         \
    X(parents_weigh_one)                                                       \
    X(deep_queues_in_order)                                                    \
    X(stale_standing)                                                          \
    X(guarantee_of_first_kind)                                                 \
    X(claims_beyond_the_guarantee)                                             \
    X(drain_forgets_usage)                                                     \
    X(resize_forgets_usage)                                                    \
    X(lost_keeps_the_node)                                                     \
    X(failed_start_bans_the_node)                                              \
    X(wakes_for_nodes_only)                                                    \
    X(cancel_takes_all)                                                        \
    X(done_frees_one)                                                          \
    X(leaks_parents)                                                           \
    X(leaks_users)                                                             \
    X(starts_before_its_time)                                                  \
    X(reserved_room_is_lent)                                                   \
    X(one_room_reserved_twice)                                                 \
    X(reservation_is_put_off)                                                  \
    X(reservation_is_forgotten)                                                \
    X(restart_forgets_reservations)

#define PLANTED_ENUM(name) PLANTED_##name,
enum planted_manager_bug {
    PLANTED_NO_BUG,
    PLANTED_MANAGERS(PLANTED_ENUM)
    PLANTED_BUGS
};
/* clang-format on */
#undef PLANTED_ENUM

/* Fills the table of callbacks. `*bug` is read when a run begins. */
void planted_manager(sked_test_manager_subject *subject,
                     enum planted_manager_bug *bug);

#endif
