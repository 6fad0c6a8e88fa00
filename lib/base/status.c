#include <sched/base.h>

uint32_t sked_version(void)
{
    return SKED_VERSION;
}

const char *sked_status_name(sked_status code)
{
    switch (code) {
    case SKED_OK: return "SKED_OK";
    case SKED_STOPPED: return "SKED_STOPPED";
    case SKED_STALE: return "SKED_STALE";
    case SKED_ERR_ARG: return "SKED_ERR_ARG";
    case SKED_ERR_NOMEM: return "SKED_ERR_NOMEM";
    case SKED_ERR_RANGE: return "SKED_ERR_RANGE";
    case SKED_ERR_EXISTS: return "SKED_ERR_EXISTS";
    case SKED_ERR_STALE: return "SKED_ERR_STALE";
    case SKED_ERR_STATE: return "SKED_ERR_STATE";
    case SKED_ERR_VERSION: return "SKED_ERR_VERSION";
    case SKED_ERR_NOT_FOUND: return "SKED_ERR_NOT_FOUND";
    case SKED_ERR_SYNTAX: return "SKED_ERR_SYNTAX";
    case SKED_ERR_CORRUPT: return "SKED_ERR_CORRUPT";
    case SKED_ERR_CANCELLED: return "SKED_ERR_CANCELLED";
    case SKED_ERR_INVALID: return "SKED_ERR_INVALID";
    case SKED_ERR_SCHEMA: return "SKED_ERR_SCHEMA";
    case SKED_ERR_FULL: return "SKED_ERR_FULL";
    case SKED_ERR_INTERNAL: return "SKED_ERR_INTERNAL";
    }
    return "SKED_ERR_UNKNOWN";
}
