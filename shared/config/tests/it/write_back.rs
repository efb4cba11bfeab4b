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
fn what_is_missing_or_not_its_own_is_told_with_its_line() {
    let told = [
        "{format: pagerduty}",
        "{format: pagerduty, token_env: KEY, from: nobody}",
        "{format: opsgenie, token_env: KEY, from: tarsy@example.com}",
        "{format: slack, url: https://example.com, token_env: KEY}",
        "{format: opsgenie, token_env: KEY, channel: C1}",
    ]
    .map(|target| problems(&format!("notifications:\n  t: {target}\n"), &[]));
    insta::assert_snapshot!(told.join("\n"));
}
