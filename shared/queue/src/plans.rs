use sqlx::postgres::PgConnectOptions;

use crate::deadline::noticing_dead_clients;

/// Adds planner settings for connections that run the queue's statements, and settings that make Postgres notice when
/// this process is gone.
///
/// `jobs` goes from empty to hundreds of thousands of rows and back within a second, faster than statistics are
/// updated. A plan that was cached while the table was empty would scan all of it when it is full. An index serves
/// every statement of the queue, so these settings make the planner use indexes.
///
/// They leave one bad plan. For a join on `id = c.id`, the planner considers reading a whole index in the order of
/// `id`, as a merge join would need. On a table that was empty this looks cheap. A join that looks rows up by id
/// therefore uses `id = any(array[c.id])`, which only a lookup can answer. It also has no condition on such rows that
/// implies the predicate of a partial index.
///
/// The settings are sent as start-up options. PgBouncer needs `ignore_startup_parameters = options`, and then works
/// without them.
#[must_use]
pub fn steady_plans(options: PgConnectOptions) -> PgConnectOptions {
    noticing_dead_clients(options).options([
        ("enable_seqscan", "off"),
        ("enable_bitmapscan", "off"),
        ("enable_hashjoin", "off"),
        ("enable_mergejoin", "off"),
        ("jit", "off"),
        ("plan_cache_mode", "force_generic_plan"),
    ])
}
