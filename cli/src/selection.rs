//! The sessions that a command is about: one, or all that match.

use anyhow::{Result, bail};
use serde_json::{Map, Value, json};

use crate::agreement::Agreement;
use crate::client::Client;
use crate::output::number;

/// All sessions that match; every condition must hold.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Matching {
    /// In one of these states, e.g. `--status failed`
    #[arg(long)]
    status: Vec<String>,
    /// That ended like this: completed, partial or failed
    #[arg(long)]
    outcome: Option<String>,
    /// Of this chain
    #[arg(long)]
    chain_id: Option<String>,
    /// Of this alert type
    #[arg(long)]
    alert_type: Option<String>,
    /// Of this severity
    #[arg(long)]
    severity: Option<String>,
    /// That somebody has acknowledged, or nobody has
    #[arg(long, value_name = "true|false")]
    acknowledged: Option<bool>,
    /// Started at this time or later, RFC 3339
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Started before this time, RFC 3339
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// With this text in alert, errors or analysis
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
}

impl Matching {
    /// As parameters of the history's list.
    pub(crate) fn query(&self) -> Vec<(String, String)> {
        let mut query = Vec::new();
        for (name, value) in self.filter() {
            match value {
                Value::Array(values) => query.extend(
                    values
                        .iter()
                        .filter_map(|value| Some((name.clone(), value.as_str()?.to_owned()))),
                ),
                value => query.extend(value.as_str().map(|value| (name.clone(), value.to_owned()))),
            }
        }
        query
    }

    /// As the API's filters are called.
    pub(crate) fn filter(&self) -> Map<String, Value> {
        let acknowledged = self.acknowledged.map(|yes| yes.to_string());
        let single = [
            ("acknowledged", &acknowledged),
            ("outcome", &self.outcome),
            ("chain_id", &self.chain_id),
            ("alert_type", &self.alert_type),
            ("severity", &self.severity),
            ("start_date", &self.since),
            ("end_date", &self.until),
            ("search", &self.search),
        ];
        let single = single
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), json!(value.as_ref()?))));
        let mut filter: Map<String, Value> = single.collect();
        if !self.status.is_empty() {
            filter.insert("status".to_owned(), json!(self.status));
        }
        filter
    }
}

/// What is done to all that match.
pub(crate) struct Many<'a> {
    /// Path of the API below `/api/v1/admin/`.
    pub(crate) path: &'a str,
    /// The verb, for questions: `cancel`.
    pub(crate) verb: &'a str,
    pub(crate) matching: &'a Matching,
    pub(crate) reason: &'a str,
    pub(crate) dry_run: bool,
    pub(crate) agreement: Agreement,
}

impl Many<'_> {
    /// Count, ask, act until nothing is left; the last answer with the sum of what was done.
    pub(crate) async fn act(&self, client: &Client) -> Result<Value> {
        if self.matching.filter().is_empty() {
            bail!(
                "name a session, or which ones by --status, --alert-type, --search, ..; --help lists all"
            );
        }
        let mut counted = self.ask(client, true).await?;
        let matched = number(&counted, "matched");
        if self.dry_run || matched == 0 {
            return Ok(counted);
        }
        let plus = match counted.get("matched_is_exact") {
            Some(Value::Bool(false)) => " or more",
            _ => "",
        };
        let question = format!("{} {matched}{plus} sessions", self.verb);
        if !self.agreement.to(&question)? {
            bail!("nothing was done");
        }
        let mut affected = 0;
        loop {
            let answer = self.ask(client, false).await?;
            let now = number(&answer, "affected");
            affected += now;
            if affected == now {
                counted = answer.clone();
            }
            // Sessions that can't be acted on still match: go on only while some are.
            if now == 0 || number(&answer, "matched") <= now {
                break;
            }
        }
        if let Value::Object(members) = &mut counted {
            members.insert("affected".to_owned(), json!(affected));
            members.insert("matched".to_owned(), json!(matched));
        }
        Ok(counted)
    }

    async fn ask(&self, client: &Client, dry_run: bool) -> Result<Value> {
        let body =
            json!({ "filter": self.matching.filter(), "reason": self.reason, "dry_run": dry_run });
        client.act(self.path, &body).await
    }
}

/// Tell what [`Many::act`] did.
pub(crate) fn tell(answer: &Value, done: &str) {
    let ids = answer.get("session_ids").and_then(Value::as_array);
    for id in ids.into_iter().flatten().filter_map(Value::as_str) {
        println!("{id}");
    }
    match answer.get("dry_run") {
        Some(Value::Bool(true)) => println!(
            "{} sessions match; nothing was done",
            number(answer, "matched")
        ),
        _ => println!(
            "{} of {} sessions {done}",
            number(answer, "affected"),
            number(answer, "matched")
        ),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Matching;

    #[test]
    fn conditions_bear_the_names_of_the_api() {
        let matching = Matching {
            status: vec!["failed".into(), "completed".into()],
            since: Some("2026-11-20T08:00:00Z".into()),
            ..Matching::default()
        };
        let filter =
            json!({"status": ["failed", "completed"], "start_date": "2026-11-20T08:00:00Z"});
        assert_eq!(serde_json::Value::Object(matching.filter()), filter);
        assert!(Matching::default().filter().is_empty());
    }
}
