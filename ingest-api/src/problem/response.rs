//! Converts problems to HTTP responses.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value};

use crate::alerts::rejected::Refusal;
use crate::problem::auth_error::seconds;
use crate::problem::public_message::PublicMessage;
use crate::problem::{Code, Problem};

/// Default of `Retry-After`.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Challenge that names the authentication scheme.
const BEARER: HeaderValue = HeaderValue::from_static("Bearer realm=\"tarsy\"");

impl Problem {
    /// Returns the stable code of this problem.
    #[must_use]
    pub fn code(&self) -> Code {
        self.public_message().code
    }

    /// Returns the public text: what went wrong this time.
    #[must_use]
    pub fn detail(&self) -> String {
        self.public_message().detail.into_owned()
    }

    /// Returns the problem as a JSON object, e.g. for an item of a larger response.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let PublicMessage {
            code,
            detail,
            members,
        } = self.public_message();
        let mut body = Map::new();
        body.insert("type".into(), code.uri().into());
        body.insert("title".into(), code.title().into());
        body.insert("status".into(), code.status().as_u16().into());
        body.insert("code".into(), code.as_str().into());
        body.insert("detail".into(), detail.into());
        if let Value::Object(members) = members {
            body.extend(members);
        }
        Value::Object(body)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        if let Self::Internal(error) | Self::Intake(tarsy_intake::Error::Internal(error)) = &self {
            tracing::error!(?error, "request failed");
        }
        let body = self.to_json();
        let code = self.code();
        let status = code.status();
        let mut response = (status, body.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if matches!(
            status,
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS
        ) {
            let wait = match &self {
                Self::Auth(denied) => denied.wait(),
                _ => None,
            };
            headers.insert(
                header::RETRY_AFTER,
                seconds(wait.unwrap_or(RETRY_AFTER)).into(),
            );
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, BEARER);
        }
        if let Self::Auth(denied) = &self {
            denied.add_headers(headers);
        }
        let detail = body.get("detail").and_then(Value::as_str);
        let refusal = Refusal::new(&self, code, detail.unwrap_or_default());
        response.extensions_mut().insert(refusal);
        response
    }
}
