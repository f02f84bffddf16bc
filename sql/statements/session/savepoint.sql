savepoint call
