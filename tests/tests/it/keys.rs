//! `tarsy keys`: created keys open the API, revoked ones do not.

use tarsy_testing::wait;
use tarsy_tests::command::{CommandOutput, tarsy};
use tarsy_tests::{Fleet, SOON, scene};

#[tokio::test(flavor = "multi_thread")]
async fn a_key_opens_the_api_until_it_is_revoked() {
    let fleet = Fleet::new(scene::play).await.with("TARSY_AUTH", "on");
    let ingest = fleet.ingest().await;
    let status = async |key: &str, path: &str| {
        let request = reqwest::Client::new().get(format!("{}{path}", ingest.url));
        request.bearer_auth(key).send().await.unwrap().status()
    };
    let on_database = async |arguments: &str| -> CommandOutput {
        tarsy(arguments, &[("DATABASE_URL", fleet.database_url())]).await
    };
    const SESSIONS: &str = "/api/v1/history/sessions";
    const AUDIT: &str = "/api/v1/admin/audit-log";

    // The first key is created directly in the database.
    on_database("keys create root --role admin")
        .await
        .fails_with_error("--reason");
    let made = on_database("keys create root --role admin --reason first").await;
    made.prints("tarsy_");
    let root = made.out.trim();
    assert_eq!(made.out.lines().count(), 1, "the key alone, to be piped");
    assert_eq!(status("tarsy_guessed", SESSIONS).await, 401);
    assert_eq!(status(root, AUDIT).await, 200);

    // The next one is created over the API, with the first.
    let over_api = async |arguments: &str| -> CommandOutput {
        let variables = [("TARSY_URL", ingest.url.as_str()), ("TARSY_API_KEY", root)];
        tarsy(arguments, &variables).await
    };
    let made = over_api("keys create screen --role viewer --expires-in 1h --reason wall").await;
    made.prints("tarsy_");
    let viewer = made.out.trim();
    assert_eq!(status(viewer, SESSIONS).await, 200);
    assert_eq!(status(viewer, AUDIT).await, 200);
    let refused = tarsy(
        "keys create more --role admin --reason mine",
        &[("TARSY_URL", &ingest.url), ("TARSY_API_KEY", viewer)],
    )
    .await;
    refused.fails_with_error("forbidden");

    for listed in [over_api("keys list").await, on_database("keys list").await] {
        listed.prints("screen");
        for key in [root, viewer] {
            assert!(!listed.out.contains(key), "the list shows no key");
        }
    }
    let keys = over_api("keys list --json").await.json();
    for key in keys["keys"].as_array().unwrap() {
        let prefix = key["prefix"].as_str().unwrap();
        assert!(key.get("key").is_none() && key.get("hash").is_none());
        assert!([root, viewer].iter().any(|key| key.starts_with(prefix)));
        assert!(prefix.len() * 2 < root.len(), "{prefix} says too much");
    }
    let kept: Vec<String> = sqlx::query_scalar("select to_jsonb(k)::text from api_keys k")
        .fetch_all(fleet.rows.pool())
        .await
        .unwrap();
    assert_eq!(kept.len(), 2);
    for (row, key) in kept.iter().flat_map(|row| [(row, root), (row, viewer)]) {
        assert!(!row.contains(key), "the table holds no key: {row}");
    }

    on_database("keys revoke screen --reason stolen")
        .await
        .prints("screen is revoked");
    wait::until("the revoked key to open nothing", SOON, async || {
        status(viewer, SESSIONS).await == 401
    })
    .await;
    assert_eq!(status(root, SESSIONS).await, 200);
    over_api("keys list").await.prints("revoked 20");
    over_api("keys revoke screen --reason again")
        .await
        .fails_with_error("no active key `screen`");

    let log: Vec<String> =
        sqlx::query_scalar("select action || ' ' || reason from audit_log order by entry_id")
            .fetch_all(fleet.rows.pool())
            .await
            .unwrap();
    assert_eq!(
        log,
        ["key.create first", "key.create wall", "key.revoke stolen"]
    );
}
