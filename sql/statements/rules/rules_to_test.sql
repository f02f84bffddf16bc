select dsl_source, tests_source from jobforge.rules_to_test($1)
