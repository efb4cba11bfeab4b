//! Reports alerts, rules and scrape targets.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use tarsy_series::labels_text;

use crate::answer::{cut, has_words, items, listed};
use crate::upstream::Upstream;

/// Maximum number of lines in an answer.
const MOST: usize = 40;
/// Maximum length of an expression, annotation or error, in characters.
const LONGEST: usize = 300;
const NARROW: &str = "add words to `search`";

#[derive(Deserialize)]
pub(super) struct Search {
    search: Option<String>,
}

pub(super) async fn alerts(upstream: &Upstream, asked: Search) -> Result<String, String> {
    let answer = upstream.get("api/v1/alerts", &[]).await?;
    let alerts = items(&answer["data"]["alerts"]);
    let lines: Vec<String> = alerts
        .iter()
        .filter(|alert| has_words(asked.search.as_deref(), &[&alert.to_string()]))
        .map(alert_line)
        .collect();
    let head = format!("{} of {} alerts", lines.len(), alerts.len());
    Ok(listed(&head, &lines, MOST, NARROW))
}

pub(super) async fn rules(upstream: &Upstream, asked: Search) -> Result<String, String> {
    let answer = upstream.get("api/v1/rules", &[]).await?;
    Ok(rules_text(
        &answer["data"]["groups"],
        asked.search.as_deref(),
    ))
}

pub(super) async fn targets(upstream: &Upstream, asked: Search) -> Result<String, String> {
    let active = [("state", "active".to_owned())];
    let answer = upstream.get("api/v1/targets", &active).await?;
    let targets = &answer["data"]["activeTargets"];
    Ok(targets_text(targets, asked.search.as_deref()))
}

fn alert_line(alert: &Value) -> String {
    let mut labels = alert["labels"].as_object().cloned().unwrap_or_default();
    let name = labels.remove("alertname").unwrap_or_default();
    let annotations = ["summary", "description", "message"];
    let mut told = annotations.iter().map(|key| &alert["annotations"][*key]);
    let told = told.find_map(Value::as_str);
    let told = told.map_or(String::new(), |told| format!(": {}", cut(told, LONGEST)));
    format!(
        "{} {} since {}, value {} {}{told}",
        name.as_str().unwrap_or("alert"),
        string(alert, "state"),
        string(alert, "activeAt"),
        string(alert, "value"),
        labels_text(&labels),
    )
}

/// Writes rules. Those that fire, are pending or can't be evaluated come first.
fn rules_text(groups: &Value, search: Option<&str>) -> String {
    let mut number = 0;
    let mut lines: Vec<(bool, String)> = Vec::new();
    for group in items(groups) {
        for rule in items(&group["rules"]) {
            number += 1;
            let (name, expression) = (string(rule, "name"), string(rule, "query"));
            if !has_words(search, &[name, expression, string(group, "name")]) {
                continue;
            }
            let state = rule["state"].as_str().unwrap_or("recording");
            let error = rule["lastError"].as_str().filter(|error| !error.is_empty());
            let wait = rule["duration"].as_f64().filter(|wait| *wait > 0.0);
            let wait = wait.map_or(String::new(), |wait| format!(" for {wait} s"));
            let failed = error.map(|error| cut(error, LONGEST));
            let failed = failed.map(|error| format!("; its evaluation fails: {error}"));
            let failed = failed.unwrap_or_default();
            let expression = cut(expression, LONGEST);
            let is_calm = error.is_none() && !matches!(state, "firing" | "pending");
            lines.push((
                is_calm,
                format!("{name} ({state}): {expression}{wait}{failed}"),
            ));
        }
    }
    lines.sort_by_key(|(is_calm, _)| *is_calm);
    let lines: Vec<String> = lines.into_iter().map(|(_, line)| line).collect();
    let head = format!("{} of {number} rules", lines.len());
    listed(&head, &lines, MOST, NARROW)
}

/// Writes counts by job, and each target that is not up.
fn targets_text(targets: &Value, search: Option<&str>) -> String {
    let mut jobs: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut down = Vec::new();
    for target in items(targets) {
        let text = format!("{} {}", target["labels"], string(target, "scrapeUrl"));
        if !has_words(search, &[&text]) {
            continue;
        }
        let job = target["labels"]["job"].as_str().unwrap_or("-");
        let (up, all) = jobs.entry(job).or_default();
        *all += 1;
        let health = string(target, "health");
        if health == "up" {
            *up += 1;
            continue;
        }
        let labels = target["labels"].as_object();
        down.push(format!(
            "{health}: {} last scrape {}: {}",
            labels.map(labels_text).unwrap_or_default(),
            string(target, "lastScrape"),
            cut(string(target, "lastError"), LONGEST),
        ));
    }
    let jobs = jobs.iter();
    let jobs = jobs.map(|(job, (up, all))| format!("{job} {up} of {all} up"));
    let jobs: Vec<String> = jobs.collect();
    let head = match jobs.len() {
        0 => "no target".to_owned(),
        _ => cut(&jobs.join(", "), 4_000),
    };
    listed(&head, &down, MOST, NARROW)
}

fn string<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or("-")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rules_that_fire_or_fail_come_first() {
        let groups = json!([{"name": "shop", "rules": [
            {"name": "calm", "query": "up == 0", "state": "inactive", "duration": 300},
            {"name": "loud", "query": "errors > 1", "state": "firing"},
            {"name": "broken", "query": "a / b", "lastError": "many-to-many"},
        ]}]);
        let text = rules_text(&groups, None);
        assert_eq!(
            text,
            "3 of 3 rules\n- loud (firing): errors > 1\n- broken (recording): a / b; its evaluation fails: many-to-many\n\
             - calm (inactive): up == 0 for 300 s"
        );
        assert!(rules_text(&groups, Some("SHOP loud")).starts_with("1 of 3 rules"));
    }

    #[test]
    fn a_target_that_is_down_is_shown_with_its_error() {
        let target = |pod: &str, health: &str| json!({"labels": {"job": "api", "pod": pod}, "scrapeUrl": "http://x", "health": health, "lastError": "refused", "lastScrape": "t"});
        let targets = json!([target("a", "up"), target("b", "down")]);
        assert_eq!(
            targets_text(&targets, None),
            "api 1 of 2 up\n- down: {job=\"api\", pod=\"b\"} last scrape t: refused"
        );
        assert_eq!(targets_text(&Value::Null, None), "no target");
    }

    #[test]
    fn an_alert_is_one_line() {
        let alert = json!({"labels": {"alertname": "Down", "pod": "a"}, "annotations": {"summary": "it is down"},
            "state": "firing", "activeAt": "2026-11-28T12:00:00Z", "value": "1e+00"});
        assert_eq!(
            alert_line(&alert),
            "Down firing since 2026-11-28T12:00:00Z, value 1e+00 {pod=\"a\"}: it is down"
        );
    }
}
