/* A sked_hdrf over the rows of a queue tree: they stand parents first. */
#include <sched/hdrf.h>

#include "queue/image.h"

sked_status sked_hdrf_of_tree(const sked_host *host, const sked_tree *queues,
                              sked_hdrf **tree)
{
    sked_hdrf_options opts = {.struct_size = sizeof opts};

    if (!tree) return SKED_ERR_ARG;
    *tree = NULL;
    if (!queues) return SKED_ERR_ARG;
    const skedi_image *image = skedi_tree_image(queues);
    opts.kinds = image->kinds;
    /* The root's -1 is not read, and the others are the same as unsigned. */
    return sked_hdrf_new(host, &opts, (const uint32_t *)image->parent,
                         image->weight, image->n, tree);
}
