//! The tool `list_changes`: its arguments and its answer.

use chrono::{DateTime, SecondsFormat};
use serde::Deserialize;
use serde_json::{Value, json};
use tarsy_model::Change;
use tarsy_store::changes::ChangeFilter;

/// Most changes in an answer.
const MOST: i64 = 100;
/// Number of changes in an answer if the caller sets no limit.
pub(crate) const LIMIT: i64 = 20;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    service: Option<String>,
    namespace: Option<String>,
    cluster: Option<String>,
    from: Option<String>,
    to: Option<String>,
    limit: Option<i64>,
}

impl Arguments {
    /// What is looked for; the error is for the model.
    pub(crate) fn filter(&self) -> Result<ChangeFilter<'_>, String> {
        let filter = ChangeFilter {
            service: self.service.as_deref(),
            namespace: self.namespace.as_deref(),
            cluster: self.cluster.as_deref(),
            since_us: time("from", self.from.as_deref())?,
            until_us: time("to", self.to.as_deref())?,
            before: None,
        };
        let range = filter.since_us.zip(filter.until_us);
        if range.is_some_and(|(since, until)| since >= until) {
            return Err("`from` must be before `to`".to_owned());
        }
        let named = [filter.service, filter.namespace, filter.cluster];
        if named.into_iter().flatten().any(|name| name.contains('\0')) {
            return Err("a name contains the character U+0000".to_owned());
        }
        Ok(filter)
    }

    pub(crate) fn limit(&self) -> i64 {
        self.limit.unwrap_or(LIMIT).clamp(1, MOST)
    }
}

fn time(name: &str, text: Option<&str>) -> Result<Option<i64>, String> {
    let time = text.map(|text| DateTime::parse_from_rfc3339(text.trim()));
    let time = time.transpose();
    let time = time.map_err(|_| format!("`{name}` must be a time such as 2026-11-20T10:00:00Z"))?;
    Ok(time.map(|time| time.timestamp_micros()))
}

/// Builds the answer: changes, newest first, without empty members. If there are more changes than `limit`, `found`
/// contains one more.
pub(crate) fn shown(mut found: Vec<Change>, limit: i64) -> Value {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = found.len() > limit;
    found.truncate(limit);
    let changes: Vec<Value> = found.iter().map(one).collect();
    let mut answer = json!({ "changes": changes });
    if more {
        answer["note"] = json!("there are more: narrow `from` and `to`, or name a service");
    }
    answer
}

fn one(change: &Change) -> Value {
    let time = DateTime::from_timestamp_micros(change.happened_at_us.0);
    let time = time.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true));
    let members = [
        ("time", time.as_ref()),
        ("kind", Some(&change.kind)),
        ("title", Some(&change.title)),
        ("service", change.service.as_ref()),
        ("namespace", change.namespace.as_ref()),
        ("cluster", change.cluster.as_ref()),
        ("author", change.author.as_ref()),
        ("revision", change.revision.as_ref()),
        ("link", change.link.as_ref()),
        ("source", Some(&change.source)),
    ];
    let members = members.into_iter();
    members
        .filter_map(|(name, value)| Some((name.to_owned(), json!(value?))))
        .collect()
}

#[cfg(test)]
mod tests {
    use tarsy_mcp_server::described_tools;

    use super::*;

    #[test]
    fn the_description_states_the_limit() {
        let tools = described_tools(include_str!("tools.json")).unwrap();
        assert_eq!(
            tools[0].input_schema["properties"]["limit"]["maximum"],
            MOST
        );
    }

    #[test]
    fn wrong_times_are_told_to_the_model() {
        let times = |from: &str, to: &str| Arguments {
            from: Some(from.to_owned()),
            to: Some(to.to_owned()),
            ..Arguments::default()
        };
        let told = |from, to| times(from, to).filter().err().unwrap();
        assert!(told("yesterday", "2026-11-20T10:00:00Z").contains("`from` must be a time"));
        let (early, late) = ("2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z");
        assert!(told(late, early).contains("before"));
        let wanted = times(early, late);
        assert_eq!(wanted.limit(), LIMIT);
        let filter = wanted.filter().unwrap();
        assert_eq!(
            filter.until_us.unwrap() - filter.since_us.unwrap(),
            3_600_000_000
        );
    }
}
