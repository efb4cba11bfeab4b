//! Search in alerts, errors and analyses.

use std::time::Duration;

use super::{execute, found, many};
use crate::server::Server;

#[tokio::test]
async fn texts_are_found_once_they_are_indexed() {
    let server = Server::start().await;
    many(&server).await;
    let index = async || {
        let mut conn = server.db().acquire().await.unwrap();
        while tarsy_store::index_for_search(&mut conn, 10, Duration::ZERO)
            .await
            .unwrap()
            >= 10
        {}
    };
    index().await;
    assert_eq!(server.count("session_search").await, 32);
    assert_eq!(
        found(&server, "search=DNS%20NUMBER%2017").await,
        (1, vec![17])
    );
    assert_eq!(
        found(&server, "search=%C3%9Cn%C3%AFcode%2050%25_off%207").await,
        (1, vec![7])
    );
    assert_eq!(found(&server, "search=50x_off").await, (0, vec![]));
    // In any case of any script, where Postgres can.
    let icu: bool =
        sqlx::query_scalar("select exists (select from pg_collation where collname = 'und-x-icu')")
            .fetch_one(server.db())
            .await
            .unwrap();
    let expected = if icu { vec![7] } else { vec![] };
    assert_eq!(
        found(&server, "search=%C3%BCN%C3%8FCODE%2050%25_OFF%207")
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
        .get("/api/v1/history/search?q=number%2017")
        .await
        .body;
    assert_eq!(through_search["sessions"].as_array().unwrap().len(), 1);

    // A session that ends is read again; one that is deleted is forgotten.
    execute(&server, "update alert_sessions set status = 'completed', completed_at_us = now_us(), final_analysis = 'a full disk' where fingerprint = 'live1'").await;
    index().await;
    assert_eq!(found(&server, "search=full%20disk").await.0, 1);
    execute(
        &server,
        "delete from alert_sessions where fingerprint = 'live1'",
    )
    .await;
    assert_eq!(found(&server, "search=full%20disk").await.0, 0);
}
