use sqlx::postgres::PgConnectOptions;

/// Planner settings for connections that run the queue's statements.
///
/// `jobs` swings between empty and hundreds of thousands of rows within a second, faster
/// than statistics follow, and a plan that was cached while it was empty scans it all when it
/// is full. Every statement of the queue is served by an index; these settings say so.
/// They travel as start-up options: PgBouncer needs `ignore_startup_parameters = options`,
/// and then does without them.
#[must_use]
pub fn steady_plans(options: PgConnectOptions) -> PgConnectOptions {
    options.options([
        ("enable_seqscan", "off"),
        ("enable_bitmapscan", "off"),
        ("enable_hashjoin", "off"),
        ("enable_mergejoin", "off"),
        ("jit", "off"),
        ("plan_cache_mode", "force_generic_plan"),
    ])
}
