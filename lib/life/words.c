/* The names of events and actions, in the order of their numbers. */
#include "life/life.h"

const sked_life_name skedi_life_events[SKED_LIFE_EVENT_EVENTS] = {
    LIFE_NAME("enqueue", 0),    LIFE_NAME("admit", 0),
    LIFE_NAME("dequeue", 0),    LIFE_NAME("reserve", 0),
    LIFE_NAME("place", 0),      LIFE_NAME("return", 0),
    LIFE_NAME("requeue", 0),    LIFE_NAME("launch", 0),
    LIFE_NAME("launched", 0),   LIFE_NAME("start", 0),
    LIFE_NAME("run", 0),        LIFE_NAME("succeed", 0),
    LIFE_NAME("fail", 0),       LIFE_NAME("lose", 0),
    LIFE_NAME("preempt", 0),    LIFE_NAME("kill", 0),
    LIFE_NAME("killed", 0),     LIFE_NAME("timeout", 0),
    LIFE_NAME("cycle_over", 0), LIFE_NAME("recover", 0),
    LIFE_NAME("new_run", 0),    LIFE_NAME("delete", 0),
    LIFE_NAME("created", 0),    LIFE_NAME("stopped", 0),
    LIFE_NAME("pause", 0),      LIFE_NAME("resume", 0),
    LIFE_NAME("abort", 0),      LIFE_NAME("done", 0),
    LIFE_NAME("too_many", 0),   LIFE_NAME("roll_back", 0),
    LIFE_NAME("drain", 0),      LIFE_NAME("drained", 0),
    LIFE_NAME("down", 0),       LIFE_NAME("up", 0),
    LIFE_NAME("quarantine", 0), LIFE_NAME("match", 0),
    LIFE_NAME("hold", 0),       LIFE_NAME("release", 0),
    LIFE_NAME("confirm", 0),    LIFE_NAME("refuse", 0),
    LIFE_NAME("end", 0),
};

const sked_life_name skedi_life_actions[SKED_LIFE_ACTION_ACTIONS] = {
    LIFE_NAME("nothing", 0),      LIFE_NAME("start", 0),
    LIFE_NAME("stop", 0),         LIFE_NAME("check_launch", 0),
    LIFE_NAME("restart", 0),      LIFE_NAME("retry", 0),
    LIFE_NAME("shut_down", 0),    LIFE_NAME("initialize", 0),
    LIFE_NAME("delete", 0),       LIFE_NAME("reload", 0),
    LIFE_NAME("invalid", 0),      LIFE_NAME("create", 0),
    LIFE_NAME("start_tasks", 0),  LIFE_NAME("kill", 0),
    LIFE_NAME("kill_untrack", 0), LIFE_NAME("kill_delete", 0),
    LIFE_NAME("untrack", 0),      LIFE_NAME("recover", 0),
    LIFE_NAME("run", 0),          LIFE_NAME("complete", 0),
    LIFE_NAME("clear", 0),        LIFE_NAME("note", 0),
};
