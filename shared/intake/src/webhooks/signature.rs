//! Verifies the signatures of webhooks.
//!
//! Signatures are computed over the bytes as they were received, because a payload that is parsed
//! and written again has another signature. Every secret of the source is tried, so that a secret
//! can be replaced without a gap.

use std::slice;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use data_encoding::HEXLOWER;
use http::{HeaderMap, header};
use ring::hmac;
use subtle::ConstantTimeEq as _;
use tarsy_config::{ChangeFormat, Secret, WebhookConfig, WebhookKind};

use crate::Error;

/// Maximum difference between a signed time and the current time: five minutes, as Standard
/// Webhooks recommends.
const WINDOW: Duration = Duration::from_secs(300);
const MISSING: Error = Error::SignatureNotValid("the signature is missing");
const WRONG: Error = Error::SignatureNotValid("no secret of this source matches the signature");

/// Verifies a request of a source that has secrets, or should have them. `now_us` is the current time.
///
/// # Errors
///
/// [`Error::SignatureNotValid`].
pub fn verify(
    source: &WebhookConfig,
    headers: &HeaderMap,
    body: &[u8],
    now_us: i64,
) -> Result<(), Error> {
    if source.secrets_env.is_empty() || source.kind == WebhookKind::Sns {
        return Ok(());
    }
    if source.secrets.is_empty() {
        return Err(Error::SignatureNotValid(
            "this source has no secret; set the variables of `secrets_env`",
        ));
    }
    let secrets = source.secrets.as_slice();
    if let (Some(change), None) = (&source.change, &source.signature_header) {
        return verify_change(change.format, secrets, headers, body);
    }
    match (source.kind, &source.signature_header) {
        (WebhookKind::Pagerduty, _) => listed(headers, secrets, body),
        (WebhookKind::Sentry, _) => {
            let sent = text(headers, "sentry-hook-signature")?;
            is_signed(secrets, &[body], &[sent])
        }
        (WebhookKind::StandardWebhooks, _) => standard(headers, secrets, body, now_us),
        (WebhookKind::Grafana, None) if headers.contains_key(GRAFANA) => {
            timed(source, headers, GRAFANA, body, now_us)
        }
        (_, Some(name)) => timed(source, headers, name, body, now_us),
        _ => bearer(headers, secrets),
    }
}

/// Verifies a request of a source of changes, in the way that its format signs.
fn verify_change(
    format: ChangeFormat,
    secrets: &[Secret],
    headers: &HeaderMap,
    body: &[u8],
) -> Result<(), Error> {
    let signed_in = |name: &str| is_signed(secrets, &[body], &[hex_text(headers, name)?]);
    match format {
        ChangeFormat::Github => signed_in("x-hub-signature-256"),
        // The provider `generic-hmac` signs.
        ChangeFormat::Flux if headers.contains_key("x-signature") => signed_in("x-signature"),
        // GitLab sends the secret itself.
        ChangeFormat::Gitlab => is_secret(secrets, text(headers, "x-gitlab-token")?.as_bytes()),
        _ => bearer(headers, secrets),
    }
}

/// Verifies a request of a Slack app: `v0=<hex>` over `v0:<time>:<body>`, at most five minutes old.
///
/// # Errors
///
/// [`Error::SignatureNotValid`].
pub fn verify_slack(
    secret: &Secret,
    headers: &HeaderMap,
    body: &[u8],
    now_us: i64,
) -> Result<(), Error> {
    let time = text(headers, "x-slack-request-timestamp")?;
    let sent = text(headers, "x-slack-signature")?;
    let sent = sent.strip_prefix("v0=").ok_or(WRONG)?;
    let parts = [b"v0:", time.as_bytes(), b":", body];
    is_signed(slice::from_ref(secret), &parts, &[sent])?;
    is_recent(time, now_us)
}

const GRAFANA: &str = "x-grafana-alerting-signature";

fn text<'h>(headers: &'h HeaderMap, name: &str) -> Result<&'h str, Error> {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .ok_or(MISSING)
}

/// Returns a header with hex, without the prefix that some senders add.
fn hex_text<'h>(headers: &'h HeaderMap, name: &str) -> Result<&'h str, Error> {
    let sent = text(headers, name)?;
    Ok(sent.strip_prefix("sha256=").unwrap_or(sent))
}

/// Tries every secret, even after one fits.
fn any(secrets: &[Secret], fits: impl Fn(&Secret) -> bool) -> Result<(), Error> {
    let fitting = secrets.iter().filter(|secret| fits(secret)).count();
    if fitting > 0 { Ok(()) } else { Err(WRONG) }
}

/// Checks that one of the secrets was sent itself.
fn is_secret(secrets: &[Secret], sent: &[u8]) -> Result<(), Error> {
    any(secrets, |secret| {
        secret.expose().as_bytes().ct_eq(sent).into()
    })
}

/// Checks that one of the secrets signs the parts with one of these MACs in lower-case hex, which all vendors send.
fn is_signed(secrets: &[Secret], parts: &[&[u8]], sent: &[&str]) -> Result<(), Error> {
    let macs = sent.iter().map(|mac| HEXLOWER.decode(mac.as_bytes()));
    let macs: Vec<_> = macs.filter_map(Result::ok).collect();
    any(secrets, |secret| {
        let key = secret.expose().as_bytes();
        macs.iter().any(|mac| is_mac(key, parts, mac))
    })
}

fn is_mac(key: &[u8], parts: &[&[u8]], mac: &[u8]) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key);
    // `verify` compares in constant time.
    hmac::verify(&key, &parts.concat(), mac).is_ok()
}

/// Verifies `v1=<hex>,v1=<hex>` of PagerDuty. There are several while the sender's secret is being replaced.
fn listed(headers: &HeaderMap, secrets: &[Secret], body: &[u8]) -> Result<(), Error> {
    let sent = text(headers, "x-pagerduty-signature")?.split(',');
    let macs = sent.filter_map(|part| part.trim().strip_prefix("v1="));
    is_signed(secrets, &[body], &macs.take(8).collect::<Vec<_>>())
}

/// Verifies hex over the body, or over `<time>:<body>` if the source names a header for the time.
fn timed(
    source: &WebhookConfig,
    headers: &HeaderMap,
    name: &str,
    body: &[u8],
    now_us: i64,
) -> Result<(), Error> {
    let (sent, secrets) = ([hex_text(headers, name)?], source.secrets.as_slice());
    let Some(time_header) = &source.timestamp_header else {
        return is_signed(secrets, &[body], &sent);
    };
    let time = text(headers, time_header)?;
    is_signed(secrets, &[time.as_bytes(), b":", body], &sent)?;
    is_recent(time, now_us)
}

/// Verifies Standard Webhooks: `v1,<base64>` over `<id>.<time>.<body>`, separated by spaces.
fn standard(
    headers: &HeaderMap,
    secrets: &[Secret],
    body: &[u8],
    now_us: i64,
) -> Result<(), Error> {
    let [id, time, sent] =
        ["webhook-id", "webhook-timestamp", "webhook-signature"].map(|name| text(headers, name));
    let (id, time, sent) = (id?, time?, sent?);
    let macs: Vec<Vec<u8>> = sent
        .split(' ')
        .filter_map(|part| BASE64.decode(part.strip_prefix("v1,")?).ok())
        .take(8)
        .collect();
    let parts = [id.as_bytes(), b".", time.as_bytes(), b".", body];
    any(secrets, |secret| {
        let secret = secret.expose();
        let Ok(key) = BASE64.decode(secret.strip_prefix("whsec_").unwrap_or(secret)) else {
            return false;
        };
        macs.iter().any(|mac| is_mac(&key, &parts, mac))
    })?;
    is_recent(time, now_us)
}

fn is_recent(time: &str, now_us: i64) -> Result<(), Error> {
    let seconds: i64 = time
        .parse()
        .map_err(|_| Error::SignatureNotValid("the signed time is not Unix seconds"))?;
    let now = now_us.div_euclid(1_000_000);
    if seconds.abs_diff(now) > WINDOW.as_secs() {
        return Err(Error::SignatureNotValid(
            "the signed time differs by more than five minutes",
        ));
    }
    Ok(())
}

/// Verifies a request of a sender that signs nothing: the secret is a bearer token, or the password
/// of basic authentication.
fn bearer(headers: &HeaderMap, secrets: &[Secret]) -> Result<(), Error> {
    let Some((scheme, credentials)) =
        text(headers, header::AUTHORIZATION.as_str())?.split_once(' ')
    else {
        return Err(MISSING);
    };
    let token = match scheme.to_ascii_lowercase().as_str() {
        "bearer" => credentials.trim().as_bytes().to_vec(),
        "basic" => {
            let pair = BASE64.decode(credentials.trim()).map_err(|_| WRONG)?;
            let password = pair
                .iter()
                .position(|byte| *byte == b':')
                .and_then(|at| pair.get(at + 1..));
            password.ok_or(WRONG)?.to_vec()
        }
        _ => return Err(MISSING),
    };
    is_secret(secrets, &token)
}

#[cfg(test)]
mod tests;
