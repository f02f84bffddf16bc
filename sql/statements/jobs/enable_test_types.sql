select jobforge.enable_test_types($1)::text
