//! HTTP requests with an access token, renewed on a challenge.

use reqwest::{RequestBuilder, Response};

use crate::auth::{AuthFailure, Authorizer, Challenge, Refusals};

/// HTTP client for one server, with its tokens if it uses OAuth.
#[derive(Clone)]
pub(crate) struct AuthorizedClient {
    http: reqwest::Client,
    tokens: Option<Authorizer>,
}

/// Reason why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendFailure {
    /// The request or its answer did not arrive.
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    /// No token could be fetched. The server has not processed the request.
    #[error(transparent)]
    Auth(#[from] AuthFailure),
}

impl AuthorizedClient {
    pub(crate) const fn new(http: reqwest::Client, tokens: Option<Authorizer>) -> Self {
        Self { http, tokens }
    }

    /// Returns the client for building requests. Send them with [`Self::send`].
    pub(crate) const fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Sends a request. If the server refuses it because a token or scopes are missing, it has not processed it. The
    /// request is then sent again with a better token.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Response, SendFailure> {
        let Some(tokens) = &self.tokens else {
            return Ok(request.send().await?);
        };
        let mut token = tokens.token().await?;
        let mut refusals = Refusals::default();
        loop {
            let Some(attempt) = request.try_clone() else {
                // The body is a stream, which can't be sent twice. No request of this crate has one.
                return Ok(request.send().await?);
            };
            let attempt = match &token {
                Some(token) => attempt.bearer_auth(token),
                None => attempt,
            };
            let response = attempt.send().await?;
            let Some(challenge) = Challenge::from_response(&response) else {
                return Ok(response);
            };
            match tokens
                .after(&challenge, token.as_deref(), &mut refusals)
                .await?
            {
                Some(better) => token = Some(better),
                None => return Ok(response),
            }
        }
    }
}
