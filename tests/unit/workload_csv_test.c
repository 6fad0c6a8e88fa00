/* The readers of recorded workloads: rows, fields, names and jobs. */
#include "../../examples/workload/workload.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

static const workload_options plain;

static int parse(workload *w, const char *text, int swf, input_fault *fault)
{
    size_t length = strlen(text);
    input in = {malloc(length + 1), length};

    assert_non_null(in.bytes);
    memcpy(in.bytes, text, length + 1);
    *fault = (input_fault){{0}, 0, 0, {0}};
    int ok = workload_parse(w, &in, swf, &plain, fault);
    input_free(&in);
    return ok;
}

static workload read_all(const char *text, int swf)
{
    workload w;
    input_fault fault;

    if (!parse(&w, text, swf, &fault)) fail_msg("%s", fault.reason);
    return w;
}

static void assert_fault(const char *text, uint64_t line, uint64_t column)
{
    workload w;
    input_fault fault;

    assert_false(parse(&w, text, 0, &fault));
    assert_i64((int64_t)fault.line, (int64_t)line);
    assert_i64((int64_t)fault.column, (int64_t)column);
    assert_true(fault.reason[0] != 0);
    assert_null(w.jobs);
}

static void columns_are_found_by_name(void **state)
{
    workload w = read_all("tasks,x,queue,run_s,submit_s,gpu\n"
                          "3,?,q,2,1,0.5\n",
                          0);

    (void)state;
    assert_i64(w.n, 1);
    assert_i64(w.jobs[0].submit, INT64_C(1000000000));
    assert_i64(w.jobs[0].run, INT64_C(2000000000));
    assert_i64(w.jobs[0].tasks, 3);
    assert_i64(w.jobs[0].amount[WORKLOAD_GPU], 500);
    assert_i64(w.jobs[0].amount[WORKLOAD_CPU], 0);
    assert_string_equal(w.queues.text[w.jobs[0].queue], "q");
    assert_string_equal(w.users.text[w.jobs[0].user], "default");
    assert_i64(w.ignored.n, 1);
    assert_string_equal(w.ignored.text[0], "x");
    workload_free(&w);
}

static void run_times_have_an_order(void **state)
{
    workload w = read_all("submit_s,start_s,end_s,run_s,job_id\n"
                          "0,1,5,9,a;run=7\n"
                          "1,1,5,,b;run=7\n"
                          "2,,,,c;x=1;run=7;y=2\n"
                          "3,,,,d;running=7\n"
                          "4,1,1,,e\n"
                          ",6,8,,f\n",
                          0);

    (void)state;
    assert_i64(w.n, 4);
    assert_i64(w.jobs[0].run, INT64_C(9000000000));
    assert_i64(w.jobs[1].run, INT64_C(4000000000));
    assert_i64(w.jobs[2].run, INT64_C(7000000000));
    assert_i64(w.jobs[3].submit, INT64_C(6000000000));
    assert_i64((int64_t)w.skipped[SKIPPED_NO_RUN_TIME], 1);
    assert_i64((int64_t)w.skipped[SKIPPED_ZERO_RUN_TIME], 1);
    assert_string_equal(w.ids.text[w.jobs[2].id], "c");
    workload_free(&w);
}

static void names_are_ids_or_line_numbers(void **state)
{
    const char *const want[] = {"a", "2", "a b", "4", "\"q\""};
    workload w = read_all("submit_s,run_s,job_id\n1,1,a\n1,1,\n\n1,1,a b;c\n"
                          "1,1,a;z=1\n1,1,\"\"\"q\"\"\"\n",
                          0);

    (void)state;
    assert_i64(w.n, 5);
    for (uint32_t i = 0; i < w.n; i++) {
        assert_string_equal(w.ids.text[w.jobs[i].id], want[i]);
    }
    assert_i64(w.jobs[2].row, 3);
    assert_i64(w.jobs[2].line, 5); /* an empty line is none of data */
    workload_free(&w);
}

static void jobs_stand_by_submission_then_by_line(void **state)
{
    const char *const want[] = {"c", "a", "d", "b"};
    workload w = read_all("submit_s,run_s,job_id\n5,1,a\n7,1,b\n1,1,c\n"
                          "5,1,d\n",
                          0);

    (void)state;
    for (uint32_t i = 0; i < w.n; i++) {
        assert_string_equal(w.ids.text[w.jobs[i].id], want[i]);
    }
    workload_free(&w);
}

static void faults_name_line_and_column(void **state)
{
    (void)state;
    assert_fault("", 1, 0);
    assert_fault("submit_s,run_s\n1\n", 2, 0);
    assert_fault("submit_s,run_s\n1,2,3\n", 2, 0);
    assert_fault("submit_s,run_s\n1,2\n1,x\n", 3, 3);
    assert_fault("submit_s,run_s,queue\n1,2,\"a\nb\"\n1,x,c\n", 4, 3);
    assert_fault("submit_s,run_s,queue\n1,2,\"a\n", 2, 5);
    assert_fault("start_s,end_s\n3,2\n", 2, 3);
}

static void swf_processors_are_tasks_of_one_core(void **state)
{
    workload w = read_all("; MaxProcs: 128\n; MaxNodes: many\n"
                          " 7 10 5 60 4 0 0 8 0 0 1 3 2 0 1 9 0 0\n"
                          "8 11 -1 60 -1 0 0 8 0 0 1 3 2 0 -1 9 0 0\n"
                          "9 12 -1 60 -1 0 0 8 0 0 1 3 2 0 -1 -1 0 0\n"
                          "9 13 0 0 4 0 0 8 0 0 1 3 2 0 1 9 0 0\n"
                          "9 14 0 5 0 0 0 -1 0 0 1 3 2 0 1 9 0 0\n",
                          1);

    (void)state;
    assert_i64(w.n, 3);
    assert_i64(w.max_procs, 128);
    assert_i64(w.max_nodes, 0);
    assert_i64(w.jobs[0].tasks, 4);
    assert_i64(w.jobs[1].tasks, 8);
    assert_i64(w.jobs[0].amount[WORKLOAD_CPU], 1000);
    assert_string_equal(w.queues.text[w.jobs[0].queue], "1");
    assert_string_equal(w.queues.text[w.jobs[1].queue], "9");
    assert_string_equal(w.queues.text[w.jobs[2].queue], "3");
    assert_i64((int64_t)w.skipped[SKIPPED_ZERO_RUN_TIME], 1);
    assert_i64((int64_t)w.skipped[SKIPPED_NO_TASKS], 1);
    workload_free(&w);
}

static void many_names_are_kept_once(void **state)
{
    names all = {0};
    char text[16];

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++) {
            int n = snprintf(text, sizeof text, "n%d", i);
            assert_i64(names_number(&all, text, (size_t)n), i);
        }
    }
    assert_i64(all.n, 5000);
    assert_i64(names_find(&all, "n77", 3), 77);
    assert_true(names_find(&all, "other", 5) == NAMES_FULL);
    names_free(&all);
    assert_true(names_find(&all, "n77", 3) == NAMES_FULL);
}

static void what_is_run_again_and_how_long_it_may_take_is_read(void **state)
{
    workload w = read_all("submit_s,run_s,slo_s,workflow\n"
                          "1,2,3.5,etl\n"
                          "1,2,,\n",
                          0);

    (void)state;
    assert_i64(w.jobs[0].slo, INT64_C(3500000000));
    assert_string_equal(w.apps.text[w.jobs[0].app], "etl");
    assert_i64(w.jobs[1].slo, -1);
    assert_string_equal(w.apps.text[w.jobs[1].app], "");
    assert_i64(w.ignored.n, 0);
    workload_free(&w);
    w = read_all("1 0 5 60 4 -1 -1 4 90 -1 1 7 1 12 -1 -1 -1 -1\n"
                 "2 0 5 60 4 -1 -1 4 -1 -1 1 7 1 -1 -1 -1 -1 -1\n",
                 1);
    assert_i64(w.jobs[0].slo, INT64_C(90000000000));
    assert_string_equal(w.apps.text[w.jobs[0].app], "12");
    assert_i64(w.jobs[1].slo, -1);
    assert_string_equal(w.apps.text[w.jobs[1].app], "");
    workload_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(what_is_run_again_and_how_long_it_may_take_is_read),
        cmocka_unit_test(run_times_have_an_order),
        cmocka_unit_test(names_are_ids_or_line_numbers),
        cmocka_unit_test(jobs_stand_by_submission_then_by_line),
        cmocka_unit_test(faults_name_line_and_column),
        cmocka_unit_test(swf_processors_are_tasks_of_one_core),
        cmocka_unit_test(many_names_are_kept_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
