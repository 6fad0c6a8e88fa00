#include "test.h"

#include <sched/sked.h>

#include "base/hash.h"

typedef struct known {
    size_t n;
    uint64_t seed;
    uint64_t digest;
} known;

/* From the reference implementation, over the bytes i * 7 + 3. */
static const known answers[] = {
    {0, 0, UINT64_C(0xef46db3751d8e999)},
    {0, 0x9e3779b1, UINT64_C(0xac75fda2929b17ef)},
    {1, 0, UINT64_C(0x1f25c8d0bc1f4bb6)},
    {1, 0x9e3779b1, UINT64_C(0x79cf94f5ace37fe1)},
    {3, 0, UINT64_C(0x31d2363f52e564c9)},
    {3, 0x9e3779b1, UINT64_C(0x96d2a5e583ddd738)},
    {4, 0, UINT64_C(0x9bb64b7d66ee9fda)},
    {4, 0x9e3779b1, UINT64_C(0x4a862fbb4b73776e)},
    {7, 0, UINT64_C(0x9a7b149959ce60d8)},
    {7, 0x9e3779b1, UINT64_C(0xddc5cf71d37a6368)},
    {8, 0, UINT64_C(0xdab99d95c6f90092)},
    {8, 0x9e3779b1, UINT64_C(0xc6e75e2cbd8e07ee)},
    {11, 0, UINT64_C(0x7a52cc9457cf1a1f)},
    {11, 0x9e3779b1, UINT64_C(0xaa0d75a182501622)},
    {12, 0, UINT64_C(0xd52e407833af5133)},
    {12, 0x9e3779b1, UINT64_C(0x79b0b158fab0e5d6)},
    {31, 0, UINT64_C(0xa2aa5f33cc4a6119)},
    {31, 0x9e3779b1, UINT64_C(0x381822f33376d6b6)},
    {32, 0, UINT64_C(0x23c3c17ef790fd97)},
    {32, 0x9e3779b1, UINT64_C(0x9abd315470ac276a)},
    {33, 0, UINT64_C(0x50a7cfc7ba588784)},
    {33, 0x9e3779b1, UINT64_C(0x72cdd3262f467933)},
    {63, 0, UINT64_C(0x5e3e54b431c7493c)},
    {63, 0x9e3779b1, UINT64_C(0x634da7d265979e61)},
    {64, 0, UINT64_C(0x0eb64b3ef6eeb01f)},
    {64, 0x9e3779b1, UINT64_C(0xbcb3847d70525180)},
    {65, 0, UINT64_C(0xa383b724b2bd12f1)},
    {65, 0x9e3779b1, UINT64_C(0x97f9d8f996719021)},
    {100, 0, UINT64_C(0xa61f8d4c170fe531)},
    {100, 0x9e3779b1, UINT64_C(0x86f549ede5ac87e2)},
    {200, 0, UINT64_C(0xa6cb3c09bc829b24)},
    {200, 0x9e3779b1, UINT64_C(0xfb1dd7eaa8eb8a3c)},
};

static unsigned char data[200];

static int fill(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)(i * 7 + 3);
    }
    return 0;
}

static void assert_digest(uint64_t got, uint64_t want)
{
    assert_i64((int64_t)got, (int64_t)want);
}

static void digests_are_those_of_the_reference(void **state)
{
    (void)state;

    assert_digest(skedi_hash_of("", 0, 0), UINT64_C(0xef46db3751d8e999));
    assert_digest(skedi_hash_of("abc", 3, 0), UINT64_C(0x44bc2cf5ad770999));
    for (size_t k = 0; k < sizeof answers / sizeof *answers; k++) {
        const known *a = &answers[k];
        assert_digest(skedi_hash_of(data, a->n, a->seed), a->digest);
    }
}

static void pieces_give_the_digest_of_the_whole(void **state)
{
    (void)state;

    for (size_t step = 1; step < 70; step++) {
        skedi_hash h;
        skedi_hash_start(&h, 0);
        for (size_t at = 0; at < sizeof data; at += step) {
            size_t rest = sizeof data - at;
            skedi_hash_bytes(&h, data + at, rest < step ? rest : step);
        }
        assert_digest(skedi_hash_end(&h), skedi_hash_of(data, 200, 0));
        assert_digest(skedi_hash_end(&h), skedi_hash_of(data, 200, 0));
    }
}

static void numbers_go_in_little_endian(void **state)
{
    static const unsigned char bytes[] = {4, 3, 2, 1, 8, 7, 6, 5, 4, 3, 2, 1};
    skedi_hash h;
    (void)state;

    skedi_hash_start(&h, 5);
    skedi_hash_u32(&h, 0x01020304);
    skedi_hash_u64(&h, UINT64_C(0x0102030405060708));
    assert_digest(skedi_hash_end(&h), skedi_hash_of(bytes, 12, 5));
}

static void words_give_what_single_numbers_give(void **state)
{
    uint64_t words[9];

    (void)state;
    for (unsigned i = 0; i < 9; i++)
        words[i] = i * UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned before = 0; before < 40; before++) {
        for (unsigned n = 0; n < 9; n++) {
            skedi_hash one, all;
            skedi_hash_start(&one, 3);
            skedi_hash_bytes(&one, "0123456789012345678901234567890123456789",
                             before);
            all = one;
            for (unsigned i = 0; i < n; i++) skedi_hash_u64(&one, words[i]);
            skedi_hash_words(&all, words, n);
            assert_digest(skedi_hash_end(&all), skedi_hash_end(&one));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_are_those_of_the_reference),
        cmocka_unit_test(pieces_give_the_digest_of_the_whole),
        cmocka_unit_test(numbers_go_in_little_endian),
        cmocka_unit_test(words_give_what_single_numbers_give),
    };

    return cmocka_run_group_tests(tests, fill, NULL);
}
