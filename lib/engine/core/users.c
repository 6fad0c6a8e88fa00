/* Users: known from their first job, or from being named, until the end. */
#include <string.h>

#include "engine/core/jobs.h"
#include "engine/budget.h"
#include "engine/store.h"

uint32_t skedi_user_take(sked_engine *e, uint64_t key)
{
    uint32_t user = skedi_keymap_get(&e->user_of, key);

    if (user != SKEDI_NONE) return user;
    user = skedi_pool_take(&e->users);
    ((engine_user *)e->users.item)[user] = (engine_user){
        .key = key, .first_waiting = SKEDI_NONE, .first_account = SKEDI_NONE};
    skedi_keymap_put(&e->user_of, key, user);
    return user;
}

int skedi_user_reserve(sked_engine *e)
{
    return skedi_pool_reserve(&e->users, &e->hooks.mem, 1) &&
           skedi_keymap_reserve(&e->user_of, &e->hooks.mem, e->user_of.n + 1);
}

void skedi_user_unname(sked_engine *e, uint32_t user)
{
    engine_user *u = (engine_user *)e->users.item + user;

    if (u->name) skedi_free(&e->hooks.mem, u->name, strlen(u->name) + 1, 1);
    u->name = NULL;
}

/* A copy of a name, NULL for none; 0: no memory. */
static int copy_name(sked_engine *e, const char *name, char **copy)
{
    size_t bytes = name ? strlen(name) + 1 : 0;

    *copy = NULL;
    if (bytes < 2) return 1;
    *copy = skedi_new(&e->hooks.mem, bytes, 1);
    if (*copy) memcpy(*copy, name, bytes);
    return *copy != NULL;
}

int skedi_user_name(sked_engine *e, uint64_t key, const char *name)
{
    char *copy;

    if (!skedi_user_reserve(e) || !copy_name(e, name, &copy)) return 0;
    uint32_t user = skedi_user_take(e, key);
    skedi_user_unname(e, user);
    ((engine_user *)e->users.item)[user].name = copy;
    skedi_accounts_reweigh(e, user);
    return 1;
}
