// Connections for handlers' transactions, of which no tenant gets more than half while others are
// there.
//
// All handlers of a worker share few connections (pool_size). A tenant whose handlers hold them
// long, in transactions that wait for locks it holds itself, would leave none to the others. Alone
// in the worker it may have them all. Threads: any.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>

#include <jobforge/uuid.h>

#include "pg/pool.h"

namespace jobforge::engine {

class TransactionPool final {
    // Counts a tenant's connection as long as it lives.
    class Place final {
    public:
        Place(TransactionPool& pool, const Uuid& tenant_id) : pool_(&pool), tenant_id_(tenant_id) {}
        Place(Place&& other) noexcept;
        Place& operator=(Place&& other) = delete;
        ~Place();

    private:
        TransactionPool* pool_;  // nullptr: moved from
        Uuid tenant_id_;
    };

public:
    // A borrowed connection, used like a pointer. It comes back before its place becomes free.
    class Lent final {
    public:
        Lent(Place place, pg::PooledConnection connection)
            : place_(std::move(place)), connection_(std::move(connection)) {}
        [[nodiscard]] pg::Connection& operator*() noexcept { return *connection_; }
        [[nodiscard]] pg::Connection* operator->() noexcept { return &*connection_; }

    private:
        Place place_;
        pg::PooledConnection connection_;
    };

    // `others_here`: whether the worker has jobs of other tenants than this one. Both outlive this.
    TransactionPool(pg::Pool& pool, int size, std::function<bool(const Uuid&)> others_here);

    // Errors: those of pg::Pool::acquire, and TIMEOUT when the tenant's share is in use for so
    // long.
    [[nodiscard]] Result<Lent> acquire(const Uuid& tenant_id);
    // The connections themselves, for what holds one for a moment only.
    [[nodiscard]] pg::Pool& connections() noexcept { return pool_; }

private:
    [[nodiscard]] bool enter(const Uuid& tenant_id);
    void leave(const Uuid& tenant_id) noexcept;

    pg::Pool& pool_;
    const int share_;
    const std::function<bool(const Uuid&)> others_here_;
    std::mutex mutex_;
    std::condition_variable left_;
    std::map<Uuid, int> in_use_;  // entries of tenants that have some
};

}  // namespace jobforge::engine
