"""Mutation testing: change one place of the code or of a template, and run the tests that cover it.

- `mutants`: the changes that a file allows.
- `sample`: the choice of some mutants by a seed.
- `coverage_map`: the tests that cover a line.
- `forked_tests`: test runs in forked processes.
- `run`: the coverage run, then one run per mutant.
- `report`: tables, survivors and minimum scores.

Tools such as mutmut and cosmic-ray start or collect the suite once per mutant, and mutmut changes function bodies
only.
"""
