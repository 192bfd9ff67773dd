/* user.c - an external program, compiled against the installed library: the square roots of 2 .. 6 in quad double,
 * squared again; prints the first and says whether all came back. */
#include <plumb.h>
#include <stdio.h>

int main(void)
{
    enum { N = 5 };
    plumb_context *context;
    plumb_view x, root, back;
    if (plumb_context_create(NULL, &context) != PLUMB_OK)
        return 1;
    if (plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_REAL, N, 1, 1, &x) != PLUMB_OK ||
        plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_REAL, N, 1, 1, &root) != PLUMB_OK ||
        plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_REAL, N, 1, 1, &back) != PLUMB_OK)
        return 1;
    for (int i = 0; i < N; i++)
        x.data[i] = i + 2;
    if (plumb_map(context, PLUMB_OP_SQRT, &x, NULL, NULL, &root, NULL) != PLUMB_OK ||
        plumb_map(context, PLUMB_OP_SQR, &root, NULL, NULL, &back, NULL) != PLUMB_OK ||
        plumb_map(context, PLUMB_OP_SUB, &back, &x, NULL, &back, NULL) != PLUMB_OK) {
        fprintf(stderr, "%s\n", plumb_context_message(context));
        return 1;
    }
    double limbs[4 * N];
    char text[128];
    if (plumb_unpack(&root, limbs) != PLUMB_OK ||
        plumb_number_write(PLUMB_QD, limbs, 60, text, sizeof text, NULL) != PLUMB_OK)
        return 1;
    int good = 1;
    for (int i = 0; i < N; i++)
        good = good && back.data[i] < 1e-62 && back.data[i] > -1e-62;
    printf("sqrt(2) = %s, squares %s\n", text, good ? "agree" : "differ");
    plumb_array_destroy(context, &x);
    plumb_array_destroy(context, &root);
    plumb_array_destroy(context, &back);
    plumb_context_destroy(context);
    return good ? 0 : 1;
}
