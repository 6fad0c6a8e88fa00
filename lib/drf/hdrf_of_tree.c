/* A sked_hdrf over the rows of a queue tree: they stand parents first. */
#include <sched/hdrf.h>

#include "base/fail.h"
#include "tree/image.h"

sked_status sked_hdrf_of_tree(const sked_tree *queues, const sked_host *host,
                              sked_hdrf **tree, sked_error *err)
{
    sked_hdrf_options opts = {.struct_size = sizeof opts};

    if (!tree) return skedi_fail_null(err, "tree");
    *tree = NULL;
    if (!queues) return skedi_fail_null(err, "queues");
    const skedi_image *image = skedi_tree_image(queues);
    opts.kinds = image->kinds;
    /* The root's -1 is not read, and the others are the same as unsigned. */
    return sked_hdrf_new((const uint32_t *)image->parent, image->weight,
                         image->n, &opts, host, tree, err);
}
