#ifndef REF_REPORT_H
#define REF_REPORT_H

#include <sched/report.h>

/* A daily report, number by number from the words of <sched/report.h>. The
 * tables of `result` are all given. */
void ref_report(const sked_report_input *in, sked_report_result *result);

/* Workflows now against before, each looked up among all. */
void ref_report_compare(const sked_report_compare_input *now,
                        const sked_report_compare_input *before,
                        uint8_t *change, sked_report_tier *tier);

#endif
