// user.cpp - the same from C++: 1/3 in double double, read and written as text, and tripled.
#include <plumb.h>

#include <cstring>
#include <iostream>
#include <vector>

int main()
{
    const char *third = "1/3";
    double limbs[PLUMB_DD];
    if (plumb_number_read(third, std::strlen(third), PLUMB_DD, limbs, nullptr, nullptr) != PLUMB_OK)
        return 1;
    plumb_context *context = nullptr;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.isa = "scalar";
    if (plumb_context_create(&options, &context) != PLUMB_OK)
        return 1;
    std::vector<double> three{3.0}, product(PLUMB_DD);
    plumb_view x, y, out;
    if (plumb_view_init(&x, limbs, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, 1, 1, 1, nullptr) != PLUMB_OK ||
        plumb_view_init(&y, three.data(), PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, 1, nullptr) != PLUMB_OK ||
        plumb_view_init(&out, product.data(), PLUMB_HOST, PLUMB_DD, PLUMB_REAL, 1, 1, 1, nullptr) != PLUMB_OK ||
        plumb_map(context, PLUMB_OP_MUL_D, &x, &y, nullptr, &out, nullptr) != PLUMB_OK)
        return 1;
    char text[64];
    if (plumb_number_write(PLUMB_DD, product.data(), 30, text, sizeof text, nullptr) != PLUMB_OK)
        return 1;
    std::cout << "plumb " << plumb_version() << ": 3 * (1/3) = " << text << "\n";
    plumb_context_destroy(context);
    return product[0] == 1.0 ? 0 : 1;
}
