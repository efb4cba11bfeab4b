//! Plans of the API's statements, by `auto_explain`.

use anyhow::{Result, ensure};
use sqlx::PgPool;

use super::scans::LARGE;

/// Explains every statement of a connection to its client, which logs it as a warning.
const EXPLAIN: &str = "-c session_preload_libraries=auto_explain -c auto_explain.log_min_duration=0 -c auto_explain.log_level=warning";

/// Whether this server supports `auto_explain`: it has the module, and the current user is a superuser.
pub(super) async fn are_shown(pool: &PgPool) -> bool {
    let loaded = sqlx::raw_sql("load 'auto_explain'").execute(pool).await;
    if let Err(error) = &loaded {
        eprintln!("plans are not looked at, only scans counted: {error}");
    }
    loaded.is_ok()
}

/// Returns the URL that makes a service log the plans of its statements.
pub(super) fn explained(url: &str) -> String {
    let and = if url.contains('?') { '&' } else { '?' };
    format!("{url}{and}options={}", EXPLAIN.replace(' ', "%20"))
}

/// Returns the large tables that a plan in this log scans, each with its statement.
///
/// Statements that the service itself explains, to estimate the rows of a filter, are ignored, because they read
/// nothing.
///
/// # Errors
///
/// If the log contains no plan.
pub(super) fn read_whole(log: &str) -> Result<Vec<(&'static str, String)>> {
    let plans: Vec<&str> = log.split("Query Text: ").skip(1).collect();
    ensure!(
        !plans.is_empty(),
        "the service's statements were not explained:\n{log}"
    );
    let found = LARGE.iter().filter_map(|table| {
        let scan = format!("Seq Scan on {table} ");
        let plan = plans
            .iter()
            .find(|plan| plan.contains(&scan) && !plan.starts_with("explain "))?;
        Some((*table, plan.chars().take(400).collect()))
    });
    Ok(found.collect())
}

#[cfg(test)]
mod tests {
    use super::{explained, read_whole};

    #[test]
    fn a_plan_that_reads_a_large_table_is_found_with_its_statement() {
        let log = "WARN duration: 1 ms  plan:\nQuery Text: select 1 from jobs\nSeq Scan on jobs  (cost=0)\n\
                   WARN duration: 1 ms  plan:\nQuery Text: explain (format json) select 3\nSeq Scan on alert_sessions s  (cost=0)\n\
                   WARN duration: 2 ms  plan:\nQuery Text: select 2\n  ->  Parallel Seq Scan on alert_sessions s  (cost=0)\n";
        let found = read_whole(log).expect("plans");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].0, "alert_sessions");
        assert!(found[0].1.starts_with("select 2"));
        assert!(read_whole("nothing").is_err());
    }

    #[test]
    fn the_options_are_written_as_postgres_reads_them() {
        let url = explained("postgres://a@h:1/d?sslmode=disable");
        assert!(
            url.starts_with("postgres://a@h:1/d?sslmode=disable&options=-c%20session"),
            "{url}"
        );
    }
}
