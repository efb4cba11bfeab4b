//! Access control of the API.

mod oidc;
mod oidc_sign_in;

use std::num::NonZeroU32;
use std::time::Duration;

pub use oidc::OidcSettings;
pub use oidc_sign_in::OidcSignInSettings;

use super::reader::Reader;

/// Access control of the HTTP service.
#[derive(Clone, Debug)]
pub struct AccessSettings {
    /// `TARSY_AUTH`: `on` requires an API key or a token from every caller. Default `off`; then the service listens
    /// only on loopback.
    pub enabled: bool,
    /// Tokens of an identity provider; `None`: API keys only.
    pub oidc: Option<OidcSettings>,
    /// `TARSY_FORWARDING_KEYS`: names of API keys of identity proxies. Their holders may name the user they act for in
    /// `X-Forwarded-User`. Default: none; then the header is ignored.
    pub forwarding_keys: Vec<String>,
    /// Rate limit of a caller; `None`: unlimited.
    pub rate: Option<RateLimit>,
    /// `TARSY_BROWSER_SESSION`: how long a browser stays signed in. Default `12h`.
    pub browser_session: Duration,
    /// `TARSY_HSTS`: how long browsers must use only https. Default `0s`: the header is not sent, because TLS ends at a
    /// proxy that may send it itself.
    pub hsts: Duration,
}

/// Rate limit of one key, person or webhook source. It applies only if access control is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit {
    /// `TARSY_RATE_LIMIT`: requests per second, on average. Default 200; 0: no limit.
    pub per_second: NonZeroU32,
    /// `TARSY_RATE_BURST`: number of requests at once after a pause. Default 2,000.
    pub burst: NonZeroU32,
}

impl AccessSettings {
    pub(super) fn read(reader: &mut Reader<'_>, public_url: Option<&str>) -> Self {
        let enabled = reader.choice(
            "TARSY_AUTH",
            &["off", "on"],
            "require an API key or a token: off (loopback only) or on",
        ) == "on";
        let oidc = OidcSettings::read(reader, public_url);
        if oidc.is_some() && !enabled {
            reader.problem(
                "`TARSY_OIDC_ISSUER` is set, but `TARSY_AUTH` is off".to_owned(),
                "set `TARSY_AUTH=on` to require tokens",
            );
        }
        let forwarding_keys = list(
            reader,
            "TARSY_FORWARDING_KEYS",
            "names of API keys that may set X-Forwarded-User, comma-separated",
        );
        let per_second = count(reader, "TARSY_RATE_LIMIT", 200, 0, RATE);
        let burst = count(reader, "TARSY_RATE_BURST", 2_000, 1, BURST);
        let rate = NonZeroU32::new(per_second).map(|per_second| RateLimit {
            per_second,
            burst: NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN),
        });
        Self {
            enabled,
            oidc,
            forwarding_keys,
            rate,
            browser_session: reader.duration(
                "TARSY_BROWSER_SESSION",
                Duration::from_secs(12 * 3_600),
                (Duration::from_secs(1), Duration::from_secs(30 * 86_400)),
                "how long a browser stays signed in",
            ),
            hsts: reader.duration(
                "TARSY_HSTS",
                Duration::ZERO,
                (Duration::ZERO, Duration::from_secs(2 * 365 * 86_400)),
                "max-age of Strict-Transport-Security; 0s: no header",
            ),
        }
    }
}

const RATE: &str = "requests per second of one caller when access control is on; 0: no limit";
const BURST: &str = "requests at once of one caller after a pause";

fn count(
    reader: &mut Reader<'_>,
    name: &'static str,
    default: u64,
    least: u64,
    meaning: &'static str,
) -> u32 {
    let read = reader.integer(name, default, (least, 1_000_000), meaning);
    u32::try_from(read).unwrap_or(u32::MAX)
}

fn list(reader: &mut Reader<'_>, name: &'static str, meaning: &'static str) -> Vec<String> {
    let text = reader.text(name, "", meaning).unwrap_or_default();
    let words = text.split(',').map(str::trim);
    words
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}
