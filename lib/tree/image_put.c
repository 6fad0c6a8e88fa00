/* A queue of the draft into its row of an image. */
#include "tree/handle.h"

void skedi_image_put_texts(skedi_image *image, uint32_t row,
                           const skedi_slot *q)
{
    image->name[row] = q->name;
    image->label[row] = q->label;
    image->users[row] = q->users;
    image->line[row] = q->line;
}

void skedi_image_put(skedi_image *image, uint32_t row, const skedi_draft *draft,
                     uint32_t slot)
{
    skedi_image_put_texts(image, row, &draft->slot[slot]);
    image->weight[row] = (uint32_t)skedi_draft_number(draft, SKEDI_AT_WEIGHT,
                                                      slot);
    image->priority[row] = (int32_t)skedi_draft_number(draft, SKEDI_AT_PRIORITY,
                                                       slot);
    image->order[row] = (uint8_t)skedi_draft_number(draft, SKEDI_AT_ORDER,
                                                    slot);
    image->fair_kind[row] = (uint8_t)skedi_draft_number(
        draft, SKEDI_AT_FAIR_KIND, slot);
    image->apps[row] = (uint8_t)skedi_draft_number(draft, SKEDI_AT_APPS, slot);
    image->state[row] = (uint8_t)skedi_draft_number(draft, SKEDI_AT_STATE,
                                                    slot);
}
