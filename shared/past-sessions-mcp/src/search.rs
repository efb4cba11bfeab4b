//! Finds ended sessions by words.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;
use tarsy_config::AlertMasker;
use tarsy_model::{SessionField, SessionId, SessionStatus};
use tarsy_store::Error;
use tarsy_store::history::{
    FollowUps, Page, PastSession, SearchLimits, SessionFilter, past_sessions, search_sessions,
};

use crate::words::words;

/// Most sessions in an answer.
const MOST: usize = 20;
/// Number of sessions in an answer if the caller sets no limit.
const LIMIT: usize = 5;
/// Most sessions that are considered for one word; the newest ones.
const OF_A_WORD: i64 = 100;
/// Number of a conclusion's first lines that are shown.
const LINES: usize = 4;
const LINE_CHARS: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    query: String,
    alert_type: Option<String>,
    cluster: Option<String>,
    namespace: Option<String>,
    limit: Option<usize>,
}

/// Checked arguments of a call.
pub(crate) struct Query {
    words: Vec<String>,
    filter: SessionFilter,
    namespace: Option<String>,
    limit: usize,
}

impl Query {
    /// Checks the arguments. The error is a message for the model.
    pub(crate) fn parse(arguments: Arguments) -> Result<Self, String> {
        let words = words(&arguments.query);
        if words.is_empty() {
            return Err("the query needs a word of 3 characters or more".to_owned());
        }
        let equal = [
            (SessionField::AlertType, arguments.alert_type),
            (SessionField::Cluster, arguments.cluster),
        ];
        let equal: BTreeMap<_, _> = equal
            .into_iter()
            .filter_map(|(field, value)| Some((field, vec![value?])))
            .collect();
        Ok(Self {
            words,
            filter: SessionFilter {
                statuses: vec![SessionStatus::Completed, SessionStatus::Failed],
                equal,
                follow_ups: FollowUps::Hide,
                ..SessionFilter::default()
            },
            namespace: arguments.namespace,
            limit: arguments.limit.unwrap_or(LIMIT).clamp(1, MOST),
        })
    }
}

/// A session and its score: how well it matches, from 0 to 1.
pub(crate) struct Found {
    session: PastSession,
    score: f64,
}

/// Returns the best matches.
///
/// The store's search requires every word of a text, so a query in sentences would find nothing. Therefore each word is
/// searched separately, and sessions are ranked by the words that they contain. A rare word counts more.
pub(crate) async fn found(conn: &mut PgConnection, query: &Query) -> Result<Vec<Found>, Error> {
    let (mut scores, mut all) = (HashMap::<SessionId, f64>::new(), 0.0);
    for word in &query.words {
        let text = match &query.namespace {
            Some(namespace) => format!("\"{word}\" \"{}\"", namespace.replace('"', " ")),
            None => format!("\"{word}\""),
        };
        let page = Page {
            limit: OF_A_WORD,
            ..Page::default()
        };
        let limits = SearchLimits {
            all: Duration::from_millis(120),
            index: Some(Duration::from_millis(60)),
            ..SearchLimits::default()
        };
        let hits = search_sessions(conn, &text, &query.filter, &page, limits).await?;
        let held_by = u32::try_from(hits.count.number).unwrap_or(u32::MAX).max(1);
        let weight = 1.0 / (1.0 + f64::from(held_by).ln());
        all += weight;
        for session in hits.sessions {
            *scores.entry(session.session_id).or_default() += weight;
        }
    }
    let ids: Vec<_> = scores.keys().map(|id| id.as_uuid()).collect();
    let sessions = past_sessions(conn, &ids).await?.into_iter();
    let in_namespace =
        |session: &PastSession| query.namespace.is_none() || session.namespace == query.namespace;
    let mut found: Vec<Found> = sessions
        .filter(in_namespace)
        .map(|session| Found {
            score: scores.get(&session.session_id).copied().unwrap_or_default() / all,
            session,
        })
        .collect();
    found.sort_by(|a, b| {
        let newest = b.session.started_at_us.cmp(&a.session.started_at_us);
        b.score.total_cmp(&a.score).then(newest)
    });
    found.truncate(query.limit);
    Ok(found)
}

pub(crate) fn shown(masker: &AlertMasker, found: &[Found]) -> Value {
    let one = |found: &Found| {
        let session = &found.session;
        let masked = |text: &Option<String>| text.as_ref().map(|text| masker.text(text));
        json!({
            "session_id": session.session_id,
            "alert_type": session.alert_type,
            "severity": session.severity,
            "cluster": masked(&session.cluster),
            "namespace": masked(&session.namespace),
            "started_at": time(session.started_at_us),
            "conclusion": session.conclusion.as_deref().map(first_lines),
            "error": masked(&session.error_message).as_deref().map(first_lines),
            "score": (found.score * 1_000.0).round() / 1_000.0,
        })
    };
    json!({ "results": found.iter().map(one).collect::<Vec<_>>() })
}

/// Formats a time in RFC 3339, in UTC.
pub(crate) fn time(unix_micros: i64) -> Option<String> {
    let time = chrono::DateTime::from_timestamp_micros(unix_micros)?;
    Some(time.to_rfc3339_opts(chrono::SecondsFormat::Secs, true))
}

/// Returns the first lines that are not empty, shortened.
fn first_lines(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let short = |line: &str| match line.char_indices().nth(LINE_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    };
    lines.take(LINES).map(short).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use tarsy_mcp_server::described_tools;

    use super::{MOST, first_lines};

    #[test]
    fn the_description_states_the_limit() {
        let tools = described_tools(include_str!("tools.json")).unwrap();
        assert_eq!(
            tools[0].input_schema["properties"]["limit"]["maximum"],
            MOST
        );
    }

    #[test]
    fn a_conclusion_is_shown_by_its_first_lines() {
        assert_eq!(first_lines("# A\n\nb\n \nc\nd\ne"), "# A\nb\nc\nd");
        assert_eq!(first_lines(&"ä".repeat(300)).chars().count(), 201);
    }
}
