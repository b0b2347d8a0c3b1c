"""Forms that papers print and mbsim does not take by itself: literal equations with their errors, and forms whose cost a paper claims."""
