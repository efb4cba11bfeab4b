//! Which repositories the GitHub token is sent for, and which may use what it fetched.

use std::sync::Arc;

use tarsy_runbook::{Error, NoCache};

use crate::{Memory, Server, config, config_without_list, fetcher};

#[tokio::test]
async fn a_token_is_sent_to_no_repository_that_the_configuration_does_not_name() {
    let server = Server::default();
    let port = server.start().await;
    let page = |repository: &str| format!("http://ghe.test:{port}/{repository}/blob/main/a.md");
    for repository in ["acme/runbooks", "acme/private"] {
        let api = format!("/api/v3/repos/{repository}/contents/a.md?ref=main");
        server.answer(&api, "200 OK", "", "secret");
        server.answer(
            &format!("/raw/{repository}/main/a.md"),
            "200 OK",
            "",
            "public",
        );
    }
    server.answer("/api/v3/user", "200 OK", "", "me");

    // Without a list or named runbooks, only the raw address is requested, without the token.
    let anonymous = fetcher(&config_without_list(port, ""), Arc::new(NoCache));
    let found = anonymous.fetch(&page("acme/private")).await.unwrap();
    assert_eq!(found.content, "public");
    let me = format!("http://ghe.test:{port}/api/v3/user");
    anonymous.fetch(&me).await.unwrap();
    let requests = server.requests();
    assert_eq!(requests.len(), 2);
    assert!(
        requests.iter().all(|request| !request.contains("canary")),
        "{requests:?}"
    );

    // With a list, the token is sent for its repositories, and no others are requested.
    let listed = config_without_list(port, "  allowed_repositories: [Acme/run*]\n");
    let listed = fetcher(&listed, Arc::new(NoCache));
    let found = listed.fetch(&page("acme/runbooks")).await.unwrap();
    assert_eq!(found.content, "secret");
    assert!(server.requests()[0].contains("ghe-canary"));
    for url in [page("acme/private"), me] {
        let refused = listed.fetch(&url).await;
        assert!(
            matches!(refused, Err(Error::RepositoryNotAllowed)),
            "{url}: {refused:?}"
        );
    }
    assert_eq!(server.paths(), [""; 0]);
}

/// `acme/runbooks` redirects to another repository, which has this file.
fn move_runbooks(server: &Server, port: u16, text: &str) {
    let moved = format!("Location: http://ghe.test:{port}/api/v3/repositories/7/contents/a.md\r\n");
    server.answer(
        "/api/v3/repos/acme/runbooks/contents/a.md?ref=main",
        "301 Moved Permanently",
        &moved,
        "",
    );
    server.answer("/api/v3/repositories/7/contents/a.md", "200 OK", "", text);
}

#[tokio::test]
async fn an_allowed_repository_that_leads_to_another_takes_no_token_there() {
    let server = Server::default();
    let port = server.start().await;
    move_runbooks(&server, port, "another's");
    let config = config_without_list(port, "  allowed_repositories: [acme/runbooks]\n");
    let page = format!("http://ghe.test:{port}/acme/runbooks/blob/main/a.md");
    let refused = fetcher(&config, Arc::new(NoCache)).fetch(&page).await;
    assert!(
        matches!(refused, Err(Error::RepositoryNotAllowed)),
        "{refused:?}"
    );
    let requests = server.requests();
    assert!(requests[0].contains("ghe-canary") && !requests[1].contains("canary"));
}

#[tokio::test]
async fn a_kept_copy_that_the_token_fetched_is_not_handed_out_without_it() {
    let server = Server::default();
    let port = server.start().await;
    let raw = "/raw/acme/private/main/a.md";
    server.answer(raw, "200 OK", "ETag: \"1\"\r\n", "secret");
    let page = format!("http://ghe.test:{port}/acme/private/blob/main/a.md");
    let cache = Arc::new(Memory::default());
    fetcher(&config(port, ""), cache.clone())
        .fetch(&page)
        .await
        .unwrap();
    server.answer(raw, "502 Bad Gateway", "", "");
    let anonymous = fetcher(&config_without_list(port, ""), cache);
    let refused = anonymous.fetch(&page).await;
    assert!(
        matches!(refused, Err(Error::Status { status: 502, .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn a_named_repository_that_leads_to_another_takes_no_token_there() {
    let server = Server::default();
    let port = server.start().await;
    move_runbooks(&server, port, "public");
    let page = format!("http://ghe.test:{port}/acme/runbooks/blob/main/a.md");
    let names = format!("webhooks:\n  alertmanager: {{runbook: {{default: \"{page}\"}}}}\n");
    let config = config_without_list(port, &names);
    let found = fetcher(&config, Arc::new(NoCache))
        .fetch(&page)
        .await
        .unwrap();
    assert_eq!(found.content, "public");
    let requests = server.requests();
    assert!(
        requests[0].contains("ghe-canary") && !requests[1].contains("canary"),
        "{requests:?}"
    );
}
