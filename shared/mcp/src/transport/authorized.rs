//! HTTP requests with an access token, renewed on a challenge.

use reqwest::{RequestBuilder, Response};

use crate::auth::{AuthFailure, Authorizer, Challenge, Refusals};

/// A client for one server, with the tokens for it where it has any.
#[derive(Clone)]
pub(crate) struct AuthorizedClient {
    http: reqwest::Client,
    tokens: Option<Authorizer>,
}

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SendFailure {
    /// It did not arrive, or its answer did not.
    #[error(transparent)]
    Http(#[from] reqwest::Error),
    /// There is no token for it; the server did nothing.
    #[error(transparent)]
    Auth(#[from] AuthFailure),
}

impl AuthorizedClient {
    pub(crate) const fn new(http: reqwest::Client, tokens: Option<Authorizer>) -> Self {
        Self { http, tokens }
    }

    /// To make requests with; [`Self::send`] sends them.
    pub(crate) const fn http(&self) -> &reqwest::Client {
        &self.http
    }

    /// Send a request. One that is turned away for want of a token, or of scopes, has done
    /// nothing and is sent again with a better one.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Response, SendFailure> {
        let Some(tokens) = &self.tokens else {
            return Ok(request.send().await?);
        };
        let mut token = tokens.token().await?;
        let mut refusals = Refusals::default();
        loop {
            let Some(attempt) = request.try_clone() else {
                // A body that is a stream; none of ours is.
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
