rollback to savepoint call
