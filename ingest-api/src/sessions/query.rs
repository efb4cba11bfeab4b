//! Query parameters of lists and searches.

use std::str::FromStr;

use serde_json::{Map, Value, json};
use tarsy_model::{
    Comparison, FOLLOW_UP_CHAIN, FieldKind, SUB_AGENT_CHAIN, SessionField, SessionOutcome,
    SessionStatus, compared, severities_compared,
};
use tarsy_store::history::{FollowUps, Order, Page, SessionFilter, Sort};

use crate::problem::{FieldError, Problem};
use crate::server::clock;
use crate::sessions::cursor::Cursor;
use crate::sessions::search_query::SearchQuery;

/// Default number of sessions on a page.
const PAGE_SIZE: i64 = 20;
const LARGEST_PAGE: i64 = 100;
/// Shortest search text, in characters: the length of a trigram.
const SHORTEST_SEARCH: usize = 3;
const LONGEST_SEARCH: usize = 200;
/// Maximum number of values of one filter. A list of all names in a fleet would not be a filter.
const MOST_VALUES: usize = 100;
/// Largest page number; its offset still fits into a number of Postgres.
const LAST_PAGE: i64 = 1_000_000_000;

/// Parsed parameters of a list or search.
#[derive(Debug, Default)]
pub(crate) struct ListQuery {
    pub(crate) filter: SessionFilter,
    pub(crate) search: Option<String>,
    pub(crate) page: Page,
    pub(crate) page_number: i64,
    /// Sort order that the cursor was created for.
    cursor_sort: Sort,
    /// Whether a total beyond 10,000 is estimated and not counted.
    pub(crate) quick_total: bool,
    /// Whether a search continues where it stopped.
    pub(crate) resumes: bool,
    /// The accepted parameters, which the response repeats.
    pub(crate) applied: Map<String, Value>,
}

impl ListQuery {
    /// Parses a query string. Rejects an unknown parameter, because a misspelt filter would
    /// otherwise match all sessions.
    pub(crate) fn read(pairs: &[(String, String)]) -> Result<Self, Problem> {
        let mut query = Self {
            page_number: 1,
            ..Self::default()
        };
        query.page.limit = PAGE_SIZE;
        query.filter.follow_ups = FollowUps::Hide;
        for (name, value) in pairs {
            query
                .set(name, value)
                .map_err(|detail| Problem::InvalidParameter(FieldError::new(name, detail)))?;
        }
        query.finish()
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            // A form that leaves a field empty sends an empty value.
            _ if value.is_empty() => return Ok(()),
            _ if value.contains('\0') => return Err("contains the character U+0000".to_owned()),
            "sort_by" => self.page.sort = sort(value)?,
            "sort_order" => self.page.order = order(value)?,
            "page" => self.page_number = number(value, 1, LAST_PAGE)?,
            "page_size" => self.page.limit = number(value, 1, LARGEST_PAGE)?,
            "total" => self.quick_total = quick(value)?,
            "cursor" => {
                let cursor = Cursor::read(value)?;
                self.page.after = Some(cursor.position);
                self.cursor_sort = cursor.sort;
                self.resumes = cursor.resumes;
            }
            _ => match SessionField::named(name) {
                Some(field) => self.narrow(field, value)?,
                None => return Err("is not a parameter of this endpoint".to_owned()),
            },
        }
        self.note(name, value);
        Ok(())
    }

    fn narrow(&mut self, field: SessionField, value: &str) -> Result<(), String> {
        let filter = &mut self.filter;
        match field {
            SessionField::Status => {
                let status = word(value, SessionStatus::from_word, SessionStatus::WORDS)?;
                filter.statuses.push(status);
            }
            SessionField::Outcome => {
                let outcome = word(value, SessionOutcome::from_word, SessionOutcome::WORDS)?;
                filter.outcomes.push(outcome);
            }
            SessionField::StartedFromUs => filter.started_from_us = Some(micros(value)?),
            SessionField::StartedBeforeUs => filter.started_before_us = Some(micros(value)?),
            SessionField::StartedFrom => filter.started_from_us = Some(time(value)?),
            SessionField::StartedBefore => filter.started_before_us = Some(time(value)?),
            SessionField::EndedFrom => filter.ended_from_us = Some(time(value)?),
            SessionField::FollowUps => filter.follow_ups = follow_ups(value)?,
            SessionField::Search => return self.search(value),
            SessionField::Cost => filter.cost = Some(dollars(value)?),
            SessionField::Severity if compared(value).is_some() => {
                filter.severities = Some(severities(value)?);
            }
            // In the first API design this names a chain or an agent.
            SessionField::AgentType => {
                let (field, value) = match value.strip_prefix("chain:") {
                    Some(chain) => (SessionField::ChainId, chain),
                    // The first API design names this agent by its type.
                    None if value == "kubernetes" => (SessionField::Agent, "KubernetesAgent"),
                    None => (SessionField::Agent, value),
                };
                self.equals(field, value)?;
            }
            _ => match field.kind() {
                FieldKind::YesOrNo => drop(filter.flags.insert(field, yes_or_no(value)?)),
                FieldKind::Word(words) => {
                    word(value, |word| words.contains(&word).then_some(()), words)?;
                    self.equals(field, value)?;
                }
                _ => self.equals(field, value)?,
            },
        }
        Ok(())
    }

    /// Adds a value of a field. If a field occurs more than once, any of its values matches.
    fn equals(&mut self, field: SessionField, value: &str) -> Result<(), String> {
        let values = self.filter.equal.entry(field).or_default();
        if values.iter().any(|known| known == value) {
            return Ok(());
        }
        if values.len() == MOST_VALUES {
            return Err(format!("takes at most {MOST_VALUES} values"));
        }
        values.push(value.to_owned());
        Ok(())
    }

    /// Parses a search text. Filters in it have the same effect as parameters.
    fn search(&mut self, typed: &str) -> Result<(), String> {
        let query = SearchQuery::read(typed);
        for (field, value) in &query.filters {
            let narrowed = self.narrow(*field, value);
            narrowed.map_err(|detail| format!("`{}` {detail}", field.name()))?;
        }
        if !query.text.is_empty() || query.filters.is_empty() {
            self.search = Some(search_text(&query.text)?);
        }
        Ok(())
    }

    fn note(&mut self, name: &str, value: &str) {
        match name {
            "page" | "page_size" | "cursor" | "total" => {}
            "status" => {
                let statuses = self.applied.entry(name).or_insert_with(|| json!([]));
                if let Some(statuses) = statuses.as_array_mut() {
                    statuses.push(value.into());
                }
            }
            _ => match self.applied.get_mut(name) {
                Some(Value::Array(values)) => values.push(value.into()),
                Some(first) => *first = json!([first, value]),
                None => drop(self.applied.insert(name.to_owned(), value.into())),
            },
        }
    }

    fn finish(mut self) -> Result<Self, Problem> {
        let invalid = |name: &str, detail: &str| {
            Err(Problem::InvalidParameter(FieldError::new(name, detail)))
        };
        if let (Some(from), Some(before)) =
            (self.filter.started_from_us, self.filter.started_before_us)
            && from >= before
        {
            return invalid("end_date_us", "must be later than the start");
        }
        if self.page.after.is_some() {
            if self.page.sort != self.cursor_sort {
                return invalid("cursor", "belongs to another `sort_by`");
            }
            if self.page_number > 1 {
                return invalid("cursor", "takes the place of `page`");
            }
        }
        // A filter by the chain of follow-up questions or sub-agents includes their sessions.
        let chain = self.filter.equal.get(&SessionField::ChainId);
        let is_secondary = |chain: &String| chain == FOLLOW_UP_CHAIN || chain == SUB_AGENT_CHAIN;
        if chain.is_some_and(|chains| chains.iter().any(is_secondary)) {
            self.filter.follow_ups = FollowUps::Show;
        }
        self.filter.statuses.sort_by_key(|status| status.as_str());
        self.filter.statuses.dedup();
        self.filter.outcomes.sort_by_key(|outcome| outcome.as_str());
        self.filter.outcomes.dedup();
        self.page.offset = (self.page_number - 1) * self.page.limit;
        Ok(self)
    }
}

/// Parses a comparison with an amount in dollars, e.g. `>1`.
fn dollars(value: &str) -> Result<(Comparison, f64), String> {
    let parsed = compared(value).and_then(|(comparison, text)| {
        let dollars = text.parse::<f64>().ok()?;
        (dollars.is_finite() && dollars >= 0.0).then_some((comparison, dollars))
    });
    parsed.ok_or_else(|| "must be like `>1`, `>=0.5`, `<2` or `<=2`, in dollars".to_owned())
}

/// Parses a comparison of severities. `>=high` means high, critical and the names that senders use for these.
fn severities(value: &str) -> Result<Vec<String>, String> {
    let found =
        compared(value).and_then(|(comparison, word)| severities_compared(comparison, word));
    found.ok_or_else(|| "compares with critical, high, warning, low or info".to_owned())
}

fn word<T>(value: &str, read: impl FnOnce(&str) -> Option<T>, known: &[&str]) -> Result<T, String> {
    read(value).ok_or_else(|| format!("must be one of {}", known.join(", ")))
}

fn micros(value: &str) -> Result<i64, String> {
    number(value, 0, i64::MAX)
}

fn number(value: &str, least: i64, most: i64) -> Result<i64, String> {
    let number = i64::from_str(value)
        .ok()
        .filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| match most {
        i64::MAX => format!("must be a whole number of at least {least}"),
        _ => format!("must be a whole number from {least} to {most}"),
    })
}

fn follow_ups(value: &str) -> Result<FollowUps, String> {
    match value {
        "hide" => Ok(FollowUps::Hide),
        "show" => Ok(FollowUps::Show),
        "only" => Ok(FollowUps::Only),
        _ => Err("must be one of hide, show, only".to_owned()),
    }
}

fn yes_or_no(value: &str) -> Result<bool, String> {
    value
        .parse()
        .map_err(|_| "must be true or false".to_owned())
}

/// Parses a time: RFC 3339, or whole microseconds, which an older parameter uses.
fn time(value: &str) -> Result<i64, String> {
    // A `+` in a query string is decoded as a space.
    let micros = clock::micros_of(&value.replace(' ', "+"))
        .or_else(|| value.parse().ok().filter(|us| *us >= 0));
    micros.ok_or_else(|| "must be an RFC 3339 time, e.g. `2026-11-20T08:00:00Z`".to_owned())
}

fn search_text(value: &str) -> Result<String, String> {
    let text = value.trim();
    match text.chars().count() {
        SHORTEST_SEARCH..=LONGEST_SEARCH => Ok(text.to_owned()),
        _ => Err(format!(
            "must have {SHORTEST_SEARCH} to {LONGEST_SEARCH} characters"
        )),
    }
}

fn sort(value: &str) -> Result<Sort, String> {
    match value {
        "started_at_us" | "started_at" => Ok(Sort::StartedAt),
        "completed_at_us" | "completed_at" => Ok(Sort::CompletedAt),
        "duration_ms" | "duration" => Ok(Sort::Duration),
        "severity" => Ok(Sort::Severity),
        "cost_usd" | "cost" => Ok(Sort::Cost),
        _ => Err(
            "must be one of started_at_us, completed_at_us, duration_ms, severity, cost_usd"
                .to_owned(),
        ),
    }
}

fn quick(total: &str) -> Result<bool, String> {
    match total {
        "exact" => Ok(false),
        "quick" => Ok(true),
        _ => Err("must be exact or quick".to_owned()),
    }
}

fn order(value: &str) -> Result<Order, String> {
    match value {
        "asc" => Ok(Order::Ascending),
        "desc" => Ok(Order::Descending),
        _ => Err("must be asc or desc".to_owned()),
    }
}
/// Returns the value of the word in `words` that a parameter names.
pub(crate) fn choice<T: Copy>(
    pairs: &[(String, String)],
    name: &str,
    words: &[(&str, T)],
) -> Result<Option<T>, Problem> {
    let Some((_, value)) = pairs.iter().find(|(given, _)| given == name) else {
        return Ok(None);
    };
    match words.iter().find(|(word, _)| word == value) {
        Some((_, meant)) => Ok(Some(*meant)),
        None => {
            let words: Vec<_> = words.iter().map(|(word, _)| *word).collect();
            let words = words.join(", ");
            Err(Problem::InvalidParameter(FieldError::new(
                name,
                format!("must be one of {words}"),
            )))
        }
    }
}
