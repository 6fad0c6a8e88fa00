/* Any bytes as a workload in the common CSV: a fault, or sound jobs. */
#include "fuzz_workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size, 0);
    return 0;
}
