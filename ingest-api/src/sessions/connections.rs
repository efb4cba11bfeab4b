//! Connections that history is read over.

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use tarsy_postgres::Primary;
use tarsy_queue::renamed;

/// Connections of their own to where `pool` connects, half as many.
///
/// The queue's statements are planned once, and by single rows of single indexes
/// ([`tarsy_queue::steady_plans`]). What people ask for is of another kind in each request: it is
/// planned for its values, and a search needs the bitmaps that an index of trigrams gives. No
/// table is read from end to end where there is another way, as before. Nothing takes long enough
/// to be worth the start of a parallel worker.
pub(crate) fn connections(primary: &Primary, pool: &PgPool) -> PgPool {
    let options = pool.connect_options().as_ref().clone();
    let options = history_plans(renamed(options, "ingest-api", "history"));
    let own = PgPoolOptions::new()
        .max_connections(pool.options().get_max_connections().div_ceil(2))
        .acquire_timeout(pool.options().get_acquire_timeout());
    tarsy_queue::wary_pool(primary, own, options)
}

/// Has what people ask for planned for its values.
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
    async fn history_is_planned_for_what_is_asked() {
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
