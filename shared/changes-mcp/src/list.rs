//! The tool `list_changes`: its arguments and its answer.

use chrono::{DateTime, SecondsFormat};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tarsy_model::Change;
use tarsy_store::changes::ChangeFilter;

/// Most changes in an answer.
pub(crate) const MOST: i64 = 100;
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

/// Checked arguments of a call.
#[derive(Debug)]
pub(crate) struct Query {
    wanted: Arguments,
    since_us: Option<i64>,
    until_us: Option<i64>,
    pub(crate) limit: i64,
}

impl Query {
    /// Checks the arguments. The error is a message for the model.
    pub(crate) fn parse(wanted: Arguments) -> Result<Self, String> {
        let since_us = time("from", wanted.from.as_deref())?;
        let until_us = time("to", wanted.to.as_deref())?;
        if let (Some(since), Some(until)) = (since_us, until_us)
            && since >= until
        {
            return Err("`from` must be before `to`".to_owned());
        }
        let named = [&wanted.service, &wanted.namespace, &wanted.cluster];
        if named.into_iter().flatten().any(|name| name.contains('\0')) {
            return Err("a name contains the character U+0000".to_owned());
        }
        Ok(Self {
            since_us,
            until_us,
            limit: wanted.limit.unwrap_or(LIMIT).clamp(1, MOST),
            wanted,
        })
    }

    pub(crate) fn filter(&self) -> ChangeFilter<'_> {
        ChangeFilter {
            service: self.wanted.service.as_deref(),
            namespace: self.wanted.namespace.as_deref(),
            cluster: self.wanted.cluster.as_deref(),
            since_us: self.since_us,
            until_us: self.until_us,
            before: None,
        }
    }
}

fn time(name: &str, text: Option<&str>) -> Result<Option<i64>, String> {
    let Some(text) = text else { return Ok(None) };
    match DateTime::parse_from_rfc3339(text.trim()) {
        Ok(time) => Ok(Some(time.timestamp_micros())),
        Err(_) => Err(format!(
            "`{name}` must be a time such as 2026-11-20T10:00:00Z"
        )),
    }
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
    let members = members
        .into_iter()
        .filter_map(|(name, value)| Some((name.to_owned(), json!(value?))));
    Value::Object(members.collect::<Map<_, _>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_times_are_told_to_the_model() {
        let times = |from: &str, to: &str| Arguments {
            from: Some(from.to_owned()),
            to: Some(to.to_owned()),
            ..Arguments::default()
        };
        let told = |from, to| Query::parse(times(from, to)).unwrap_err();
        assert!(told("yesterday", "2026-11-20T10:00:00Z").contains("`from` must be a time"));
        let (early, late) = ("2026-11-20T10:00:00Z", "2026-11-20T11:00:00Z");
        assert!(told(late, early).contains("before"));
        let query = Query::parse(times(early, late)).unwrap();
        assert_eq!(query.limit, LIMIT);
        assert_eq!(
            query.until_us.unwrap() - query.since_us.unwrap(),
            3_600_000_000
        );
    }
}
