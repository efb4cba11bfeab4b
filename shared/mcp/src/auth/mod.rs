//! OAuth access tokens for MCP servers, with the client credentials grant.
//!
//! No user can log in, so this is the only grant that tarsy supports (RFC 6749 §4.4, MCP's extension SEP-1046). The
//! server's refusal names its authorization server; `rmcp` does this discovery (RFC 9728, RFC 8414). Tokens are kept
//! only in memory.

mod assertion;
mod challenge;
mod error;
mod grant;
mod issuer;
mod token;

use std::sync::Arc;

use url::Url;

pub(crate) use self::assertion::SigningKey;
pub(crate) use self::challenge::Challenge;
pub(crate) use self::error::AuthFailure;
use self::grant::Grant;
use self::issuer::Issuer;
use self::token::Token;
use crate::error::Error;
use crate::settings::{HttpSettings, ServerSettings, TransportSettings};

/// Most times that one request asks for more scopes before it fails.
const MOST_WIDENINGS: u32 = 3;

/// Tokens of one server, shared by all its connections.
#[derive(Clone)]
pub(crate) struct Authorizer(Arc<Inner>);

struct Inner {
    server: Url,
    grant: Grant,
    state: tokio::sync::Mutex<State>,
}

struct State {
    issuer: Option<Issuer>,
    token: Option<Token>,
    /// Scopes of the last token request.
    scopes: Vec<String>,
}

/// Refusals of one request so far.
#[derive(Default)]
pub(crate) struct Refusals {
    unauthorised: bool,
    widenings: u32,
}

impl Authorizer {
    /// Creates the authorizer of a server with OAuth settings; `None` for other servers.
    ///
    /// # Errors
    ///
    /// [`Error::BadOAuth`] if no token can be fetched with the settings.
    pub(crate) fn new(settings: &ServerSettings) -> Result<Option<Self>, Error> {
        let (TransportSettings::Http(http) | TransportSettings::Sse(http)) = &settings.transport
        else {
            return Ok(None);
        };
        Self::from_settings(http).map_err(|reason| Error::BadOAuth {
            server: settings.id.clone(),
            reason,
        })
    }

    fn from_settings(http: &HttpSettings) -> Result<Option<Self>, String> {
        let Some(oauth) = &http.oauth else {
            return Ok(None);
        };
        if http.bearer.is_some() {
            return Err("it has a bearer token of its own too".to_owned());
        }
        let server = Url::parse(&http.url).map_err(|error| error.to_string())?;
        let issuer = oauth.token_url.as_deref().map(Issuer::named).transpose()?;
        Ok(Some(Self(Arc::new(Inner {
            grant: Grant::new(oauth, &server)?,
            server,
            state: tokio::sync::Mutex::new(State {
                issuer,
                token: None,
                scopes: oauth.scopes.clone(),
            }),
        }))))
    }

    /// Returns the token to send. `None` if no token URL is configured and the server has not asked for a token. Its
    /// refusal will then lead to one.
    pub(crate) async fn token(&self) -> Result<Option<String>, AuthFailure> {
        let mut state = self.0.state.lock().await;
        if let Some(token) = state.token.as_ref().filter(|token| token.is_fresh()) {
            return Ok(Some(token.value()));
        }
        match state.issuer {
            Some(_) => self.0.fetch(&mut state).await.map(Some),
            None => Ok(None),
        }
    }

    /// Returns the token to try next after the request with `sent` was refused. `None` if the refusal is final.
    pub(crate) async fn after(
        &self,
        challenge: &Challenge,
        sent: Option<&str>,
        refusals: &mut Refusals,
    ) -> Result<Option<String>, AuthFailure> {
        let mut state = self.0.state.lock().await;
        let parsed = challenge.parse(&self.0.server);
        if challenge.is_unauthorised() {
            if std::mem::replace(&mut refusals.unauthorised, true) {
                return Ok(None);
            }
            if let Some(token) = state.token.as_ref().filter(|token| token.is_fresh())
                && sent != Some(token.value().as_str())
            {
                // Another request has renewed the token in the meantime.
                return Ok(Some(token.value()));
            }
        } else {
            let wanted = self.0.grant.widened(&state.scopes, parsed.scope.as_deref());
            let may = parsed.is_insufficient_scope() && refusals.widenings < MOST_WIDENINGS;
            let Some(wanted) = wanted.filter(|_| may) else {
                return Ok(None);
            };
            refusals.widenings += 1;
            state.scopes = wanted;
        }
        if state.issuer.is_none() {
            let found = issuer::discover(&self.0.server, challenge).await?;
            state.scopes = self.0.grant.first_scopes(found.scopes);
            state.issuer = Some(found.issuer);
        }
        self.0.fetch(&mut state).await.map(Some)
    }
}

impl Inner {
    async fn fetch(&self, state: &mut State) -> Result<String, AuthFailure> {
        state.token = None;
        let Some(issuer) = &state.issuer else {
            return Err(AuthFailure::NoAuthorizationServer);
        };
        let fetched = self.grant.fetch(issuer, &state.scopes).await;
        if fetched.is_err() && issuer.is_discovered() {
            // The authorization server may have moved. The next refusal starts a new discovery.
            state.issuer = None;
        }
        let token = fetched?;
        tracing::info!(mcp.url = %self.server, scopes = state.scopes.join(" "), "fetched an access token");
        let value = token.value();
        state.token = Some(token);
        Ok(value)
    }
}
