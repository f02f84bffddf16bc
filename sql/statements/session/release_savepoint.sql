release savepoint call
