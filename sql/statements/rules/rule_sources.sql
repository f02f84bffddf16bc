-- Nearly always known already (RulesCache), and larger than all else.
select dsl_source, tests_source from jobforge.get_rules($1)
