#include "engine/settle/transaction_pool.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace jobforge::engine {

namespace {

using namespace std::chrono_literals;

// As long as the pool lets a caller wait. The others may leave meanwhile, which is not announced.
constexpr auto kLongestWait = 5s;
constexpr auto kLookAgain = 100ms;

}  // namespace

TransactionPool::Place::Place(Place&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), tenant_id_(other.tenant_id_) {}

TransactionPool::Place::~Place() {
    if (pool_ != nullptr) {
        pool_->leave(tenant_id_);
    }
}

TransactionPool::TransactionPool(pg::Pool& pool, int size,
                                 std::function<bool(const Uuid&)> others_here)
    : pool_(pool), share_(std::max(1, size / 2)), others_here_(std::move(others_here)) {}

Result<TransactionPool::Lent> TransactionPool::acquire(const Uuid& tenant_id) {
    if (!enter(tenant_id)) {
        return Error::of(ErrorCode::TIMEOUT,
                         fmt::format("the tenant's share of {} connections was in use for {} s",
                                     share_, kLongestWait.count()));
    }
    Place place(*this, tenant_id);
    auto connection = pool_.acquire();
    if (!connection) {
        return connection.error();
    }
    return Lent(std::move(place), *std::move(connection));
}

bool TransactionPool::enter(const Uuid& tenant_id) {
    const auto end = std::chrono::steady_clock::now() + kLongestWait;
    std::unique_lock lock(mutex_);
    while (in_use_[tenant_id] >= share_ && others_here_(tenant_id)) {
        if (std::chrono::steady_clock::now() >= end) {
            return false;
        }
        left_.wait_for(lock, kLookAgain);
    }
    ++in_use_[tenant_id];
    return true;
}

void TransactionPool::leave(const Uuid& tenant_id) noexcept {
    {
        const std::lock_guard guard(mutex_);
        const auto entry = in_use_.find(tenant_id);
        if (--entry->second == 0) {
            in_use_.erase(entry);
        }
    }
    left_.notify_all();
}

}  // namespace jobforge::engine
