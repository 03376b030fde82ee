"""Programs as one writes them for Numba: functions, loops and arrays. Every function of a file here is compiled by it."""
