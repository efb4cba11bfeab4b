//! Authorises calls: with a key in the header of the dialect, a key in a header of the cloud, a signature, or a token.

use chrono::Utc;
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use tarsy_egress::secret_header;
use url::Url;

use super::google_token::{Account, Source, Tokens};
use super::{client, sigv4};
use crate::{
    CallError, CloudCredentials, ErrorClass, InvalidSettings, ProviderKind, ProviderSettings,
    Secret,
};

/// Method that authorises the calls of one provider.
pub(super) enum Authorization {
    /// The key replaces the session token in the header in which `genai` sends that token.
    InPlace(Secret),
    /// A header of the cloud, instead of the header that `genai` uses.
    Header(HeaderName, HeaderValue),
    /// A signature for AWS.
    Signature(Signer),
    /// An access token of Google Cloud.
    Token(Tokens),
}

/// AWS keys and the region they sign for.
pub(super) struct Signer {
    access_key_id: String,
    secret_access_key: Secret,
    session_token: Option<Secret>,
    region: String,
}

impl std::fmt::Debug for Authorization {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::InPlace(_) => "InPlace",
            Self::Header(..) => "Header",
            Self::Signature(_) => "Signature",
            Self::Token(_) => "Token",
        })
    }
}

impl Authorization {
    pub(super) fn build(settings: &ProviderSettings) -> Result<Self, InvalidSettings> {
        let refused = |why: String| InvalidSettings::Credentials {
            provider: settings.name.clone(),
            why,
        };
        let key = &settings.api_key;
        if !key.is_blank() || settings.cloud.credentials.is_none() {
            let secret = |text: String| {
                secret_header(&text).map_err(|_| refused("no header can hold its key".to_owned()))
            };
            return Ok(match settings.kind {
                ProviderKind::AzureOpenAi => Self::Header(
                    HeaderName::from_static("api-key"),
                    secret(key.expose().to_owned())?,
                ),
                ProviderKind::Vertex => Self::Header(
                    header::AUTHORIZATION,
                    secret(format!("Bearer {}", key.expose()))?,
                ),
                // A custom endpoint may need no key. The header is then sent with a placeholder.
                _ if key.is_blank() => Self::InPlace(Secret::new("none")),
                _ => Self::InPlace(key.clone()),
            });
        }
        let plain = ProviderSettings {
            extra_headers: Vec::new(),
            ..settings.clone()
        };
        match &settings.cloud.credentials {
            Some(CloudCredentials::Aws {
                access_key_id,
                secret_access_key,
                session_token,
            }) => Ok(Self::Signature(Signer {
                access_key_id: access_key_id.clone(),
                secret_access_key: secret_access_key.clone(),
                session_token: session_token.clone(),
                region: settings.cloud.region.clone().unwrap_or_default(),
            })),
            Some(CloudCredentials::GoogleKeyFile(path)) => {
                let account = Account::read(path).map_err(refused)?;
                let client = client::build(&plain, "https:")?;
                Ok(Self::Token(Tokens::new(
                    client,
                    Source::Account(Box::new(account)),
                )))
            }
            Some(CloudCredentials::GoogleMetadata(host)) => {
                let client = client::direct(&plain)?;
                Ok(Self::Token(Tokens::new(
                    client,
                    Source::Metadata(host.clone()),
                )))
            }
            None => Ok(Self::InPlace(key.clone())),
        }
    }

    /// Returns the headers of `genai`'s request, authorised for this URL and body. `token` is the session token that
    /// they contain instead of the key.
    pub(super) async fn apply(
        &self,
        token: &str,
        mut headers: HeaderMap,
        url: &Url,
        body: &[u8],
    ) -> Result<HeaderMap, CallError> {
        let unreadable =
            || CallError::new(ErrorClass::InvalidRequest, "failed to read the request");
        let mut replaced = Vec::new();
        for (name, value) in &mut headers {
            let text = value.to_str().map_err(|_| unreadable())?;
            if !text.contains(token) {
                continue;
            }
            if let Self::InPlace(key) = self {
                let key = text.replace(token, key.expose());
                *value = secret_header(&key).map_err(|_| unreadable())?;
            } else {
                replaced.push(name.clone());
            }
        }
        for name in replaced {
            headers.remove(name);
        }
        match self {
            Self::InPlace(_) => {}
            Self::Header(name, value) => {
                headers.insert(name.clone(), value.clone());
            }
            Self::Signature(signer) => {
                let signed = signer.sign(&headers, url, body).ok_or_else(unreadable)?;
                headers.extend(signed);
            }
            Self::Token(tokens) => {
                let value = format!("Bearer {}", tokens.token().await?);
                let value = secret_header(&value).map_err(|_| unreadable())?;
                headers.insert(header::AUTHORIZATION, value);
            }
        }
        Ok(headers)
    }
}

impl Signer {
    /// Returns the headers that sign a question to Bedrock.
    fn sign(&self, headers: &HeaderMap, url: &Url, body: &[u8]) -> Option<HeaderMap> {
        let time = Utc::now();
        let date = sigv4::amz_date(time);
        let host = match url.port() {
            Some(port) => format!("{}:{port}", url.host_str()?),
            None => url.host_str()?.to_owned(),
        };
        let mut signed = Vec::new();
        if let Some(content_type) = headers.get(header::CONTENT_TYPE) {
            signed.push(("content-type", content_type.to_str().ok()?));
        }
        signed.push(("host", &host));
        signed.push(("x-amz-date", &date));
        if let Some(token) = &self.session_token {
            signed.push(("x-amz-security-token", token.expose()));
        }
        let request = sigv4::Unsigned {
            method: "POST",
            url,
            headers: &signed,
            body,
        };
        let scope = sigv4::Scope {
            access_key_id: &self.access_key_id,
            secret_access_key: self.secret_access_key.expose(),
            region: &self.region,
            service: "bedrock",
            time,
        };
        let mut added = HeaderMap::new();
        let mut add = |name: HeaderName, text: &str| {
            added.insert(name, secret_header(text).ok()?);
            Some(())
        };
        add(
            header::AUTHORIZATION,
            &sigv4::authorization(&request, &scope),
        )?;
        add(HeaderName::from_static("x-amz-date"), &date)?;
        if let Some(token) = &self.session_token {
            add(
                HeaderName::from_static("x-amz-security-token"),
                token.expose(),
            )?;
        }
        Some(added)
    }
}
