#pragma once

/// Places an order under a lock. The number of orders that have been placed.
int place_order();
