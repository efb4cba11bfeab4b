//! Notification targets that are Slack apps.

use crate::support::load;

#[test]
fn a_slack_app_receives_starts_unless_it_wants_some_outcomes_only() {
    let yaml = "notifications:\n  room: {format: slack-app, bot_token_env: TOKEN, channel: C1}\n  bad: {format: slack-app, bot_token_env: TOKEN, channel: C1, outcomes: [failed]}\n  quiet: {format: slack-app, bot_token_env: TOKEN, channel: C1, events: [completed]}\n  chat: {format: slack, url: https://example.com}\n  told: {format: teams, url: https://example.com, events: [started]}\n";
    let config = load(yaml, &[("TOKEN", "xoxb-1")]).unwrap();
    let events = |name: &str| config.notifications[name].events.join(" ");
    assert_eq!(events("room"), "started completed failed waiting");
    assert_eq!(events("bad"), "completed failed waiting");
    assert_eq!(events("quiet"), "completed");
    assert_eq!(events("chat"), "completed failed waiting");
    assert_eq!(events("told"), "started");
}
