"""Random programs, run by plain Python and by every form of the converted function, must agree."""
