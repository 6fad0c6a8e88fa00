/* Any bytes as a workload in the Standard Workload Format: a fault, or sound jobs. */
#include "fuzz_workload.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_bytes(data, size, 1);
    return 0;
}
