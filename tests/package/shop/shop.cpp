#include <order_service.hpp>

int main() { return place_order() == 1 && place_order() == 2 ? 0 : 1; }
