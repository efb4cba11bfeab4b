//! Connection pool for reading history.

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tarsy_postgres::Primary;
use tarsy_queue::renamed;

/// Creates a separate pool to the host of `pool`, with half as many connections.
///
/// Statements of the queue have fixed plans that read single rows of single indexes
/// ([`tarsy_queue::steady_plans`]). Queries of history differ in each request, so they are planned
/// for their values. Searches also need the bitmap scans of a trigram index. As in the queue, no
/// table is scanned sequentially if there is another way. Parallel workers are off, because no
/// query takes long enough to be worth their start.
pub(crate) fn connections(primary: &Primary, pool: &PgPool) -> PgPool {
    let options = pool.connect_options().as_ref().clone();
    let options = history_plans(renamed(options, "ingest-api", "history"));
    let own = PgPoolOptions::new()
        .max_connections(pool.options().get_max_connections().div_ceil(2))
        .acquire_timeout(pool.options().get_acquire_timeout());
    tarsy_queue::wary_pool(primary, own, options)
}

/// Makes Postgres plan queries for their values, and sets the plan options for history.
pub(super) fn history_plans(options: PgConnectOptions) -> PgConnectOptions {
    options.options([
        ("enable_bitmapscan", "on"),
        ("enable_hashjoin", "on"),
        ("enable_mergejoin", "on"),
        ("plan_cache_mode", "auto"),
        ("max_parallel_workers_per_gather", "0"),
    ])
}

#[cfg(test)]
mod tests {
    use tarsy_config::{Environment, Settings};
    use tarsy_testing::TestDb;

    use super::connections;

    #[tokio::test]
    async fn history_is_read_while_all_other_connections_are_used() {
        let db = TestDb::new().await;
        let url = [("DATABASE_URL", db.url())];
        let settings = Settings::read(&Environment::from_pairs(url)).expect("settings");
        let pool = tarsy_boot::connect(&settings.database, "ingest-api").expect("a pool");
        let all = (0..pool.options().get_max_connections()).map(|_| pool.acquire());
        let used = futures::future::try_join_all(all)
            .await
            .expect("connections");
        let primary = pool.connect_options().as_ref().clone().into();
        let read = sqlx::query("select 1")
            .execute(&connections(&primary, &pool))
            .await;
        assert!(read.is_ok(), "{read:?} beside {}", used.len());
    }

    #[tokio::test]
    async fn history_connections_have_their_planner_settings() {
        let db = TestDb::new().await;
        let steady = tarsy_queue::steady_plans(db.pool().connect_options().as_ref().clone());
        let primary = steady.clone().into();
        let pool = connections(&primary, &sqlx::PgPool::connect_lazy_with(steady));
        for (setting, value) in [
            ("enable_seqscan", "off"),
            ("enable_bitmapscan", "on"),
            ("enable_hashjoin", "on"),
            ("plan_cache_mode", "auto"),
            ("max_parallel_workers_per_gather", "0"),
            ("jit", "off"),
        ] {
            let found: String = sqlx::query_scalar("select current_setting($1)")
                .bind(setting)
                .fetch_one(&pool)
                .await
                .expect("a setting");
            assert_eq!(found, value, "{setting}");
        }
    }
}
