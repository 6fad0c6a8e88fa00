#ifdef USE_AMALGAM
#include "sked.h"
#else
#include <sched/sked.h>
#endif

int main(void)
{
    return sked_version() == SKED_VERSION ? 0 : 1;
}
