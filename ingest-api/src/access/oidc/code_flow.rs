//! Sign-in by an authorization code (OIDC Core 1.0, section 3.1) with PKCE (RFC 7636).
//!
//! The API is the OAuth client. The browser only carries the code and never sees a token.

use std::slice;

use axum::http::HeaderMap;
use oauth2::basic::{
    BasicErrorResponse, BasicErrorResponseType, BasicRevocationErrorResponse,
    BasicTokenIntrospectionResponse, BasicTokenType,
};
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet,
    EndpointSet, ExtraTokenFields, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl,
    RequestTokenError, Scope, StandardRevocableToken, StandardTokenResponse, TokenResponse as _,
    TokenUrl,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tarsy_config::settings::OidcSignInSettings;
use url::Url;
use utoipa::IntoParams;

use crate::access::oidc::error::Error;
use crate::access::oidc::failure::word;
use crate::access::oidc::issuer::{Discovered, Issuer};
use crate::access::oidc::{Oidc, Pending, Person, SignInFailure, claims, return_path};

type Tokens = StandardTokenResponse<IdToken, BasicTokenType>;
type Client = oauth2::Client<
    BasicErrorResponse,
    Tokens,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

/// Fields that the token endpoint sends besides an access token.
#[derive(Debug, Deserialize, Serialize)]
struct IdToken {
    id_token: Option<String>,
}

impl ExtraTokenFields for IdToken {}

/// Parameters of the provider's redirect (RFC 6749, section 4.1.2).
#[derive(Deserialize, IntoParams)]
pub(crate) struct Answer {
    /// Authorization code.
    code: Option<String>,
    /// Binds the redirect to the browser that started the sign-in.
    state: Option<String>,
    /// Issuer (RFC 9207).
    iss: Option<String>,
    /// Error code of the provider, if there is no authorization code.
    error: Option<String>,
}

pub(crate) struct CodeFlow<'o> {
    oidc: &'o Oidc,
    settings: &'o OidcSignInSettings,
}

impl<'o> CodeFlow<'o> {
    pub(super) const fn new(oidc: &'o Oidc, settings: &'o OidcSignInSettings) -> Self {
        Self { oidc, settings }
    }

    /// Display name of the issuer.
    pub(crate) fn name(&self) -> &'o str {
        &self.settings.name
    }

    /// Returns whether browsers use https.
    pub(crate) fn is_secure(&self) -> bool {
        self.settings.is_secure()
    }

    /// Returns the address of the page that the browser asked for.
    pub(crate) fn page(&self, pending: &Pending) -> String {
        return_path::address(&self.settings.public_url, pending.return_to())
    }

    /// Returns the address of that page, with the reason of a failed sign-in.
    pub(crate) fn page_of_failure(&self, path: &str, failure: &SignInFailure) -> String {
        return_path::address_of_failure(&self.settings.public_url, path, failure.code())
    }

    /// Begins a sign-in. Returns the provider's authorization URL, and the state that the browser
    /// keeps until the answer.
    pub(crate) async fn begin(&self, return_to: &str) -> Result<(Url, Pending), SignInFailure> {
        let client = self.client(&*self.issuer().discovery().await?)?;
        let pending = Pending::begin(return_to);
        let verifier = PkceCodeVerifier::new(pending.verifier());
        let scopes = self.settings.scopes.iter().cloned().map(Scope::new);
        let (url, _) = client
            .authorize_url(|| CsrfToken::new(pending.state()))
            .add_scopes(scopes)
            .add_extra_param("nonce", pending.nonce())
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
            .url();
        Ok((url, pending))
    }

    /// Returns the person that the provider's answer identifies. `pending` is the sign-in that it
    /// belongs to.
    pub(crate) async fn finish(
        &self,
        answer: &Answer,
        pending: &Pending,
    ) -> Result<Person, SignInFailure> {
        let discovered = self.issuer().discovery().await?;
        let code = answer.code_from(self.issuer(), &discovered)?;
        let http = |request| {
            let oidc = self.oidc.clone();
            async move { oidc.0.issuer.send(request).await }
        };
        let client = self.client(&discovered)?;
        let exchanged = client
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(PkceCodeVerifier::new(pending.verifier()))
            .request_async(&http)
            .await;
        let tokens = exchanged.map_err(of_token_endpoint)?;
        let id_token = tokens.extra_fields().id_token.as_deref();
        let id_token = id_token.ok_or(SignInFailure::Answer("it has no ID token"))?;
        let audience = slice::from_ref(&self.settings.client_id);
        let mut claims = self.oidc.verify(id_token, audience).await?;
        self.check(&claims, pending)?;
        self.complete(&mut claims, &tokens, &discovered).await;
        self.oidc.person(&claims)
    }

    /// Returns the URL at which the provider signs a person out, if it has one (OIDC RP-Initiated
    /// Logout 1.0).
    pub(crate) async fn sign_out_url(&self) -> Option<String> {
        let discovered = self.issuer().discovery().await.ok()?;
        let mut url = Url::parse(discovered.end_session_endpoint.as_ref()?).ok()?;
        url.query_pairs_mut()
            .append_pair("client_id", &self.settings.client_id)
            .append_pair(
                "post_logout_redirect_uri",
                &return_path::home(&self.settings.public_url),
            );
        Some(url.into())
    }

    fn issuer(&self) -> &'o Issuer {
        &self.oidc.0.issuer
    }

    fn client(&self, discovered: &Discovered) -> Result<Client, SignInFailure> {
        const NO_ENDPOINT: SignInFailure = SignInFailure::Answer(
            "the discovery document has no https `authorization_endpoint` and `token_endpoint`",
        );
        let authorization = discovered.authorization_endpoint.clone();
        let authorization = authorization.and_then(|url| AuthUrl::new(url).ok());
        let token = discovered.token_endpoint.clone();
        let token = token.and_then(|url| TokenUrl::new(url).ok());
        let redirect = RedirectUrl::new(self.settings.redirect_uri());
        let redirect = redirect.map_err(|_| SignInFailure::Answer("TARSY_PUBLIC_URL is no URL"))?;
        let id = ClientId::new(self.settings.client_id.clone());
        let auth_type = match discovered.wants_secret_in_body() {
            true => AuthType::RequestBody,
            false => AuthType::BasicAuth,
        };
        let client = oauth2::Client::new(id)
            .set_auth_type(auth_type)
            .set_auth_uri(authorization.ok_or(NO_ENDPOINT)?)
            .set_token_uri(token.ok_or(NO_ENDPOINT)?)
            .set_redirect_uri(redirect);
        Ok(match &self.settings.client_secret {
            Some(secret) => client.set_client_secret(ClientSecret::new(secret.expose().to_owned())),
            None => client,
        })
    }

    /// Checks what the signature does not prove: that the token was made for this sign-in and only
    /// for this client.
    fn check(&self, claims: &Map<String, Value>, pending: &Pending) -> Result<(), SignInFailure> {
        let text = |name: &str| claims.get(name).and_then(Value::as_str);
        if !text("nonce").is_some_and(|nonce| pending.has_nonce(nonce)) {
            return Err(SignInFailure::Answer("the ID token has another nonce"));
        }
        if text("sub").is_none() {
            return Err(SignInFailure::Answer("the ID token has no subject"));
        }
        match claims.get("azp") {
            Some(azp) if azp != self.settings.client_id.as_str() => Err(SignInFailure::Answer(
                "the ID token was made for another client",
            )),
            _ => Ok(()),
        }
    }

    /// Adds claims of the `UserInfo` endpoint, because many providers leave groups and address out
    /// of ID tokens.
    async fn complete(
        &self,
        claims: &mut Map<String, Value>,
        tokens: &Tokens,
        discovered: &Discovered,
    ) {
        let settings = &self.oidc.0.settings;
        let has = |claim: &str| claims::at(claims, claim).is_some();
        if has(&settings.role_claim) && has(&settings.name_claim) {
            return;
        }
        let Some(endpoint) = &discovered.userinfo_endpoint else {
            return;
        };
        let fetched = async {
            let token = tokens.access_token().secret();
            let body = self.issuer().get(endpoint, Some(token)).await?;
            Ok::<Map<String, Value>, Error>(serde_json::from_slice(&body)?)
        };
        match fetched.await {
            // Claims of another subject must not be used (OIDC Core 1.0, section 5.3.2).
            Ok(found) if found.get("sub") != claims.get("sub") => {
                tracing::warn!("the identity provider's UserInfo is about another person");
            }
            Ok(found) => {
                for (name, value) in found {
                    claims.entry(name).or_insert(value);
                }
            }
            Err(error) => tracing::warn!(
                error = &error as &dyn std::error::Error,
                "failed to read the identity provider's UserInfo"
            ),
        }
    }
}

impl Answer {
    /// Returns the sign-in of this browser that the answer belongs to.
    pub(crate) fn pending(&self, headers: &HeaderMap, is_secure: bool) -> Option<Pending> {
        let state = self.state.as_deref()?;
        Pending::of_browser(headers, is_secure).filter(|pending| pending.has_state(state))
    }

    /// Returns the code, if this issuer sent one.
    fn code_from(&self, issuer: &Issuer, discovered: &Discovered) -> Result<&str, SignInFailure> {
        let is_required = discovered.authorization_response_iss_parameter_supported;
        match &self.iss {
            Some(iss) if *iss != issuer.url => {
                return Err(SignInFailure::Answer("it is of another issuer"));
            }
            None if is_required => return Err(SignInFailure::Answer("it names no issuer")),
            _ => {}
        }
        match (&self.code, self.error.as_deref()) {
            (_, Some("access_denied")) => Err(SignInFailure::Denied),
            (_, Some(error)) => Err(SignInFailure::Refused(word(error))),
            (Some(code), None) => Ok(code),
            (None, None) => Err(SignInFailure::Answer("it has no code")),
        }
    }
}

/// Converts an error of the token endpoint. Leaves out the texts of responses, because they may
/// contain tokens.
fn of_token_endpoint(error: RequestTokenError<Error, BasicErrorResponse>) -> SignInFailure {
    use BasicErrorResponseType::{InvalidClient, InvalidGrant, UnauthorizedClient};
    match error {
        RequestTokenError::ServerResponse(response) => {
            let code = word(response.error().as_ref());
            match response.error() {
                InvalidClient | UnauthorizedClient => SignInFailure::Client(code),
                InvalidGrant => SignInFailure::Code(code),
                _ => SignInFailure::Refused(code),
            }
        }
        RequestTokenError::Request(error) => SignInFailure::Away(Some(error)),
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
            SignInFailure::Answer("the token endpoint sent no JSON that makes sense")
        }
    }
}
