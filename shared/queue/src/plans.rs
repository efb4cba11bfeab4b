use sqlx::postgres::PgConnectOptions;

use crate::deadline::noticing_dead_clients;

/// Planner settings for connections that run the queue's statements, and the settings by which Postgres
/// notices that a process is gone.
///
/// `jobs` swings between empty and hundreds of thousands of rows within a second, faster
/// than statistics follow, and a plan that was cached while it was empty scans it all when it
/// is full. Every statement of the queue is served by an index; these settings say so.
///
/// They leave one bad plan: with a join on `id = c.id`, an index read from end to end in the
/// order of `id` is a candidate (a merge join might have used it), and on a table that was
/// empty it looks cheap. A join that is to look rows up by id therefore says
/// `id = any(array[c.id])`, which no index order serves and only a lookup can answer; and what
/// is asked of such a row is nothing that implies the predicate of a partial index.
///
/// They travel as start-up options: PgBouncer needs `ignore_startup_parameters = options`,
/// and then does without them.
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
