/* The limit of tier 2: every posting of the query's words added up, and the best rows, in C.
   cc -O3 -march=native -shared -fPIC */
#include <stdint.h>

void accumulate(const uint32_t *rows, const float *weights, const int64_t *begin,
                const int64_t *end, const float *asked, int words, float *scores) {
    for (int word = 0; word < words; word++)
        for (int64_t at = begin[word]; at < end[word]; at++)
            scores[rows[at]] += weights[at] * asked[word];
}

int best(const float *scores, int64_t size, int limit, int32_t *rows, float *top) {
    int found = 0;
    float bar = 0.f;
    for (int64_t row = 0; row < size; row++) {
        if (scores[row] <= bar) continue;
        int at = found < limit ? found++ : limit - 1;
        while (at > 0 && top[at - 1] < scores[row]) {
            top[at] = top[at - 1];
            rows[at] = rows[at - 1];
            at--;
        }
        top[at] = scores[row];
        rows[at] = (int32_t)row;
        if (found == limit) bar = top[limit - 1];
    }
    return found;
}
