//! Bodies and query parameters of operator requests.

use axum::extract::rejection::QueryRejection;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::ToSchema;

use crate::problem::{FieldError, Problem};
use crate::server::body::JsonBytes;
use crate::server::state::AppState;

/// Longest reason, in characters.
const LONGEST_REASON: usize = 500;
const PAGE: u16 = 50;
const LARGEST_PAGE: u16 = 200;

/// Reason of an action: 1 to 500 characters, not only white space.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(try_from = "String")]
// The pattern lists white space as Unicode and `trim` define it, because `\s` differs between the
// languages that use the schema.
#[schema(
    value_type = String,
    min_length = 1,
    max_length = 500,
    pattern = r"^[^\u0000]*[^\u0000\u0009-\u000d \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000][^\u0000]*$",
    example = "provider outage"
)]
pub(crate) struct Reason(String);

impl Reason {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Default of an optional reason.
    pub(crate) fn not_stated() -> Self {
        Self("not stated".to_owned())
    }
}

impl TryFrom<String> for Reason {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let reason = text.trim();
        match text.chars().count() {
            1..=LONGEST_REASON if !reason.is_empty() && !reason.contains('\0') => {
                Ok(Self(reason.to_owned()))
            }
            _ => Err(format!(
                "`reason` must have 1 to {LONGEST_REASON} characters, none of them U+0000"
            )),
        }
    }
}

/// Body with only a reason.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReasonBody {
    /// Reason, stored in the audit log.
    pub(crate) reason: Reason,
}

/// JSON body, validated.
#[derive(Debug)]
pub(crate) struct ValidJson<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<AppState> for ValidJson<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, Problem> {
        let body = JsonBytes::from_request(request, state).await?;
        read(body.text()?).map(Self)
    }
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let detail = error.to_string();
        if error.is_data() {
            let detail = detail.split(" at line ").next().unwrap_or(&detail);
            return Problem::InvalidRequest(vec![FieldError::new("body", detail)]);
        }
        Problem::MalformedJson {
            line,
            column,
            detail,
        }
    })
}

/// Query parameters, validated.
#[derive(Debug)]
pub(crate) struct ValidQuery<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for ValidQuery<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let read: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, state).await;
        match read {
            Ok(Query(wanted)) if !holds_null(parts) => Ok(Self(wanted)),
            Ok(_) => Err(invalid("query", "contains the character U+0000")),
            Err(error) => Err(invalid("query", error.body_text())),
        }
    }
}

/// Returns whether the query contains U+0000, which Postgres can't store.
fn holds_null(parts: &Parts) -> bool {
    parts.uri.query().is_some_and(|query| query.contains("%00"))
}

pub(crate) fn invalid(field: &str, detail: impl Into<String>) -> Problem {
    Problem::InvalidParameter(FieldError::new(field, detail))
}

/// Page size. One more row is read, to detect whether there is a next page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageSize(u16);

impl PageSize {
    /// Returns the requested size, or the default.
    ///
    /// # Errors
    ///
    /// [`Problem::InvalidParameter`] if the size is out of range.
    pub(crate) fn from_limit(limit: Option<u16>) -> Result<Self, Problem> {
        let limit = limit.unwrap_or(PAGE);
        if (1..=LARGEST_PAGE).contains(&limit) {
            Ok(Self(limit))
        } else {
            Err(invalid("limit", format!("must be 1 to {LARGEST_PAGE}")))
        }
    }

    pub(crate) fn to_read(self) -> i64 {
        i64::from(self.0) + 1
    }

    /// Cuts the rows to the page. Also returns the cursor of the next page, if there is one.
    pub(crate) fn cut<T, C>(
        self,
        mut lines: Vec<T>,
        cursor: impl FnOnce(&T) -> C,
    ) -> (Vec<T>, Option<C>) {
        let size = usize::from(self.0);
        let more = lines.len() > size;
        lines.truncate(size);
        let next = lines.last().filter(|_| more).map(cursor);
        (lines, next)
    }
}

#[cfg(test)]
mod tests {
    use super::{ReasonBody, read};
    use crate::problem::Problem;

    #[test]
    fn a_reason_is_there_short_and_text() {
        let long = format!("{{\"reason\": \"{}\"}}", "x".repeat(501));
        for refused in [
            "{}",
            "{\"reason\": \" \"}",
            "{\"reason\": 1}",
            "{\"reason\": \"a\\u0000\"}",
            "{\"reason\": \"a\", \"b\": 1}",
            "[]",
            &long,
        ] {
            let read: Result<ReasonBody, Problem> = read(refused);
            assert!(matches!(read, Err(Problem::InvalidRequest(_))), "{refused}");
        }
        assert!(matches!(
            read::<ReasonBody>("{"),
            Err(Problem::MalformedJson { line: 1, .. })
        ));
        let why: ReasonBody = read("{\"reason\": \" outage \"}").expect("valid");
        assert_eq!(why.reason.as_str(), "outage");
    }
}
