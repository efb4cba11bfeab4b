//! Search in alerts, errors and analyses.

use std::time::Duration;

use tarsy_model::SessionField;
use tarsy_store::history::{Order, Page, SearchLimits, SessionFilter};

use super::{execute, found, many};
use crate::server::Server;

async fn index(server: &Server) {
    let mut conn = server.db().acquire().await.unwrap();
    while tarsy_store::history::index_for_search(&mut conn, 10, Duration::ZERO, str::to_owned)
        .await
        .unwrap()
        >= 10
    {}
}

#[tokio::test]
async fn texts_are_found_once_they_are_indexed() {
    let server = Server::start().await;
    many(&server).await;
    index(&server).await;
    assert_eq!(server.count("session_search").await, 32);
    assert_eq!(
        found(&server, "search=%22DNS%20NUMBER%2017%22").await,
        (1, vec![17])
    );
    assert_eq!(
        found(&server, "search=%22%C3%9Cn%C3%AFcode%2050%25_off%207%22").await,
        (1, vec![7])
    );
    assert_eq!(found(&server, "search=50x_off").await, (0, vec![]));
    // The search ignores case in every script, if Postgres supports that.
    let icu: bool =
        sqlx::query_scalar("select exists (select from pg_collation where collname = 'und-x-icu')")
            .fetch_one(server.db())
            .await
            .unwrap();
    let expected = if icu { vec![7] } else { vec![] };
    assert_eq!(
        found(&server, "search=%22%C3%BCN%C3%8FCODE%2050%25_OFF%207%22")
            .await
            .1,
        expected
    );
    assert_eq!(
        found(&server, "search=model%20was%20away&severity=critical").await,
        (3, vec![30, 20, 10])
    );
    assert_eq!(
        found(&server, "search=dns&page_size=4&page=2").await.1,
        [26, 25, 24, 23]
    );
    assert_eq!(
        found(&server, "search=dns&sort_by=duration_ms&page_size=2")
            .await
            .1,
        [1, 2]
    );
    let through_search = server
        .get("/api/v1/history/search?q=%22number%2017%22")
        .await
        .body;
    assert_eq!(through_search["sessions"].as_array().unwrap().len(), 1);

    // A session that ends is indexed again. A deleted one is removed from the index.
    execute(&server, "update alert_sessions set status = 'completed', completed_at_us = now_us(), final_analysis = 'a full disk' where fingerprint = 'live1'").await;
    index(&server).await;
    assert_eq!(found(&server, "search=full%20disk").await.0, 1);
    execute(
        &server,
        "delete from alert_sessions where fingerprint = 'live1'",
    )
    .await;
    assert_eq!(found(&server, "search=full%20disk").await.0, 0);
}

/// Searches for warnings about a "DNS number", and continues each time where the last search
/// stopped. Returns for each search the numbers of its sessions, and whether it reached the end.
async fn in_parts(server: &Server, order: Order) -> Vec<(Vec<i64>, bool)> {
    let mut conn = server.db().acquire().await.unwrap();
    let filter = SessionFilter {
        equal: [(SessionField::Severity, vec!["warning".to_owned()])].into(),
        ..SessionFilter::default()
    };
    let mut page = Page {
        limit: 3,
        order,
        ..Page::default()
    };
    // The time allows only the first 4 documents. This stands for a million documents and a text
    // that no index can find.
    let limits = SearchLimits {
        first: 4,
        index: None,
        all: Duration::ZERO,
    };
    let mut answers = Vec::new();
    loop {
        let hits =
            tarsy_store::history::search_sessions(&mut conn, "DNS number", &filter, &page, limits)
                .await
                .unwrap();
        let starts = hits.sessions.iter().map(|s| s.started_at_us);
        let numbers = starts.map(|us| (us - 1_700_000_000_000_000) / 1_000_000);
        answers.push((numbers.collect(), hits.reached.is_none()));
        match hits.reached {
            Some(reached) => page.after = Some(reached.into()),
            None => return answers,
        }
    }
}

#[tokio::test]
async fn a_search_that_times_out_reports_how_far_it_came_and_resumes_there() {
    let server = Server::start().await;
    many(&server).await;
    index(&server).await;
    // More sessions than a search reads one by one.
    execute(
        &server,
        "insert into alert_sessions (session_id, alert_id, alert_type, alert_data, severity, alert_timestamp_us, source,
             fingerprint, status, started_at_us, completed_at_us, chain_id, chain_definition)
         select gen_random_uuid(), gen_random_uuid(), 'kubernetes', '{}', 'warning', 0, 'api', 'm' || n,
             'completed', n, n, 'chain-0', '{}'
         from generate_series(1, 2100) n",
    )
    .await;
    for (order, first) in [(Order::Descending, 29), (Order::Ascending, 1)] {
        let answers = in_parts(&server, order).await;
        let (found, ends): (Vec<_>, Vec<_>) = answers.into_iter().unzip();
        let found: Vec<i64> = found.concat();
        let mut odd: Vec<i64> = (1..=15).map(|n| n * 2 - 1).collect();
        if order == Order::Descending {
            odd.reverse();
        }
        assert_eq!(found, odd, "each once, in order");
        assert_eq!(found[0], first);
        assert_eq!(ends.iter().filter(|is_end| **is_end).count(), 1);
        assert!(ends.len() >= 8, "{ends:?}");
    }
}
