//! Notification targets that write back.

use crate::support::{load, problems};

#[test]
fn a_target_writes_to_its_vendors_api_with_the_key_of_the_environment() {
    let yaml = "notifications:\n  duty: {format: pagerduty, token_env: KEY, from: tarsy@example.com}\n  genie: {format: opsgenie, token_env: OTHER, url: https://api.eu.opsgenie.com}\n";
    let config = load(yaml, &[("KEY", "k-1")]).unwrap();
    let url = |name: &str| config.notifications[name].url.clone().unwrap();
    assert_eq!(url("duty").expose(), "https://api.pagerduty.com");
    assert_eq!(url("genie").expose(), "https://api.eu.opsgenie.com");
    let is_usable = |name: &str| config.notifications[name].is_usable();
    assert!(is_usable("duty"));
    assert!(!is_usable("genie"), "its key is not set");
}

#[test]
fn what_is_missing_or_not_its_own_is_reported_with_its_line() {
    let reports = [
        "{format: pagerduty}",
        "{format: pagerduty, token_env: KEY, from: nobody}",
        "{format: opsgenie, token_env: KEY, from: tarsy@example.com}",
        "{format: slack, url: https://example.com, token_env: KEY}",
        "{format: opsgenie, token_env: KEY, channel: C1}",
        "{format: opsgenie, token_env: KEY, resolve: true, events: [failed]}",
        "{format: slack, url: https://example.com, resolve: true}",
        "{format: jira, token_env: KEY, project: ops}",
        "{format: jira, url: https://example.com, token_env: KEY, project: OPS, user: bot, repository: a/b}",
        "{format: github-issue, token_env: KEY, repository: ops, project: OPS}",
        "{format: github-issue, token_env: KEY, repository: a/b, labels: [needs review]}",
        "{format: teams, url: https://example.com, labels: [x]}",
    ]
    .map(|target| problems(&format!("notifications:\n  t: {target}\n"), &[]));
    insta::assert_snapshot!(reports.join("\n"));
}

#[test]
fn an_issue_needs_a_place_and_a_token_and_no_more() {
    let yaml = "notifications:\n  tracker: {format: jira, url: https://jira.example.com, token_env: KEY, project: OPS}\n  issues: {format: github-issue, token_env: KEY, repository: example/ops}\n";
    let config = load(yaml, &[("KEY", "k-1")]).unwrap();
    for (name, url) in [
        ("tracker", "https://jira.example.com"),
        ("issues", "https://api.github.com"),
    ] {
        let target = &config.notifications[name];
        assert!(target.is_usable(), "{name}");
        assert_eq!(target.url.as_ref().unwrap().expose(), url);
        assert_eq!(target.events, ["completed", "failed"]);
        assert!(!format!("{target:?}").contains("k-1"));
    }
}
