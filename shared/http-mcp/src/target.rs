//! Checked address, headers and HTTP client of an API.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName};
use tarsy_egress::{Access, Client, SystemLookup, parse_url, secret_header};
use url::Url;

use crate::error::Error;
use crate::file::{Api, HeaderSource};

/// Maximum timeout of a request, in seconds. It is shorter than that of a tool call.
const LONGEST_SECONDS: u64 = 25;
/// Maximum size of an answer in bytes, before `keep` selects a part of it.
const MOST_BYTES: usize = 4 * 1024 * 1024;

/// An API with everything that its requests need.
pub(crate) struct Target {
    pub(crate) name: String,
    pub(crate) base: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) client: Client,
}

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The headers are left out because they contain secrets.
        f.debug_struct("Target")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Target {
    /// Checks an API of the file. `place` names it in error messages; `variable` looks up an environment variable.
    pub(crate) fn from_api(
        place: &str,
        name: &str,
        api: &Api,
        variable: &impl Fn(&str) -> Option<String>,
    ) -> Result<Self, Error> {
        let wrong = |reason: &str| Error::invalid(&format!("{place}.url"), reason);
        let mut base = parse_url(&api.url).map_err(|error| wrong(&error.to_string()))?;
        if base.query().is_some() || base.fragment().is_some() {
            return Err(wrong("an address has no query: write it to the tools"));
        }
        if !base.path().ends_with('/') {
            base.set_path(&format!("{}/", base.path()));
        }
        let seconds = api.timeout_seconds.unwrap_or(10);
        if !(1..=LONGEST_SECONDS).contains(&seconds) {
            let reason = format!("`timeout_seconds` is from 1 to {LONGEST_SECONDS}");
            return Err(Error::invalid(place, reason));
        }
        let access = Access {
            private: api.private,
            // Only for an http address: a redirect from https to http would send the headers in clear text.
            http: api.http && base.scheme() == "http",
        };
        let limit = Duration::from_secs(seconds);
        let policy = tarsy_egress::Policy::bounded(limit, MOST_BYTES).allow_host_of(&base, access);
        policy
            .check(&base)
            .map_err(|error| wrong(&format!("{error}; `private` and `http` allow more")))?;
        let mut headers = HeaderMap::new();
        for (header, source) in &api.headers {
            let place = format!("{place}.headers.{header}");
            let wrong = |reason: &str| Error::invalid(&place, reason);
            let key = HeaderName::try_from(header).map_err(|_| wrong("no name of a header"))?;
            let value = match source {
                HeaderSource::Text(text) => text.clone(),
                HeaderSource::Variable { env, prefix } => {
                    let value = variable(env).filter(|value| !value.is_empty());
                    let value = value.ok_or_else(|| wrong(&format!("`{env}` is not set")))?;
                    format!("{prefix}{value}")
                }
            };
            let value = secret_header(&value)
                .map_err(|_| wrong("its value has characters that no header takes"))?;
            headers.insert(key, value);
        }
        Ok(Self {
            name: name.to_owned(),
            client: Client::new(policy, Arc::new(SystemLookup))?,
            base,
            headers,
        })
    }
}
