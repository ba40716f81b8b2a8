-- The work during which an allocation fails: two streams use the same blocks. Calls that succeed keep the order.
cross()
