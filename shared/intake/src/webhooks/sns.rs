//! Amazon SNS over HTTPS: signed envelopes, and subscriptions that must be confirmed.
//!
//! The sender of a request names the certificate to verify with and the address to confirm at. Both
//! are requested only if they belong to SNS (`sns.<region>.amazonaws.com`), over https, by the
//! client that is guarded against SSRF. The signature proves that Amazon sent the message, but not
//! for whom. So only topics in the configuration are accepted.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use chrono::{DateTime, TimeDelta};
use http::HeaderMap;
use ring::signature::{self, UnparsedPublicKey};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use serde::Deserialize;
use tarsy_config::WebhookConfig;
use tarsy_egress::{Access, Client, Policy, SystemLookup, parse_url};
use tokio::sync::Semaphore;
use url::Url;

use crate::Error;

/// Timeout of fetching a certificate or confirming a subscription. SNS itself waits 15 s for a response.
const PATIENCE: Duration = Duration::from_secs(5);
const LARGEST: usize = 64 * 1024;
const MOST_CERTIFICATES: usize = 16;
/// Maximum number of concurrent fetches of certificates, because any sender can name one that does not exist.
const FETCHED_AT_ONCE: usize = 4;
/// Maximum age of a message. SNS repeats one for at most an hour, and its own validators reject older ones.
const OLDEST: TimeDelta = TimeDelta::hours(1);
/// Tolerated difference of clocks.
const LEEWAY: TimeDelta = TimeDelta::minutes(5);

/// Request of SNS. The format of a Lambda spells two members differently.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Envelope {
    #[serde(rename = "Type")]
    pub(crate) kind: String,
    pub(crate) message_id: String,
    pub(crate) topic_arn: String,
    pub(crate) message: String,
    pub(crate) timestamp: String,
    subject: Option<String>,
    token: Option<String>,
    #[serde(rename = "SubscribeURL", alias = "SubscribeUrl")]
    pub(crate) subscribe_url: Option<String>,
    signature_version: String,
    signature: String,
    #[serde(rename = "SigningCertURL", alias = "SigningCertUrl")]
    signing_cert_url: String,
}

/// Client of SNS, with a cache of its certificates. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sns {
    keys: Arc<Mutex<HashMap<String, Arc<Vec<u8>>>>>,
    fetching: Arc<Semaphore>,
    fetch: Arc<dyn Fetch>,
}

/// Fetches addresses of SNS; tests replace it.
#[async_trait]
trait Fetch: fmt::Debug + Send + Sync {
    async fn get(&self, url: Url) -> Result<Vec<u8>, Error>;
}

/// Fetches with the client that is guarded against SSRF.
#[derive(Debug)]
struct Guarded;

impl Default for Sns {
    fn default() -> Self {
        Self {
            keys: Arc::default(),
            fetching: Arc::new(Semaphore::new(FETCHED_AT_ONCE)),
            fetch: Arc::new(Guarded),
        }
    }
}

impl Envelope {
    /// Parses a body and verifies that it is from Amazon and of a configured topic.
    pub(crate) async fn open(
        body: &str,
        source: &WebhookConfig,
        sns: &Sns,
        now_us: i64,
    ) -> Result<Self, Error> {
        let envelope: Self = serde_json::from_str(body)
            .map_err(|error| Error::field("", format!("is not an SNS message: {error}")))?;
        if !source.topics.contains(&envelope.topic_arn) {
            return Err(Error::SignatureNotValid(
                "the topic is not one of the source's `topics`",
            ));
        }
        let url = certificate_url(&envelope.signing_cert_url).ok_or(Error::SignatureNotValid(
            "`SigningCertURL` is not a certificate of SNS",
        ))?;
        let key = sns.key(&url).await?;
        if !envelope.is_signed_by(&key) {
            return Err(Error::SignatureNotValid("invalid signature"));
        }
        envelope.check_age(now_us)?;
        Ok(envelope)
    }

    /// Rejects old messages, because one may be a copy that another party replays.
    fn check_age(&self, now_us: i64) -> Result<(), Error> {
        let sent = DateTime::parse_from_rfc3339(&self.timestamp)
            .map_err(|_| Error::SignatureNotValid("`Timestamp` is not a time"))?;
        let age = TimeDelta::microseconds(now_us.saturating_sub(sent.timestamp_micros()));
        if age > OLDEST + LEEWAY {
            return Err(Error::SignatureNotValid(
                "the message is more than an hour old",
            ));
        }
        if age < -LEEWAY {
            return Err(Error::SignatureNotValid(
                "the message is signed with a future time",
            ));
        }
        Ok(())
    }

    /// Confirms a subscription, only at an address of SNS.
    pub(crate) async fn confirm(&self, sns: &Sns) -> Result<(), Error> {
        let url = self.subscribe_url.as_deref().and_then(sns_url);
        let url = url.ok_or(Error::SignatureNotValid(
            "`SubscribeURL` is not an address of SNS",
        ))?;
        sns.fetch.get(url).await?;
        tracing::info!(topic = self.topic_arn, "subscription confirmed");
        Ok(())
    }

    /// Returns the signed text: names and values in the order of the names, each on a line.
    fn signed_text(&self) -> String {
        let is_notification = self.kind == "Notification";
        let members = [
            ("Message", Some(&self.message)),
            ("MessageId", Some(&self.message_id)),
            ("Subject", self.subject.as_ref().filter(|_| is_notification)),
            (
                "SubscribeURL",
                self.subscribe_url.as_ref().filter(|_| !is_notification),
            ),
            ("Timestamp", Some(&self.timestamp)),
            ("Token", self.token.as_ref().filter(|_| !is_notification)),
            ("TopicArn", Some(&self.topic_arn)),
            ("Type", Some(&self.kind)),
        ];
        let lines = members
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}\n{}\n", value?)));
        lines.collect()
    }

    fn is_signed_by(&self, public_key: &[u8]) -> bool {
        let algorithm = match self.signature_version.as_str() {
            "1" => &signature::RSA_PKCS1_2048_8192_SHA1_FOR_LEGACY_USE_ONLY,
            "2" => &signature::RSA_PKCS1_2048_8192_SHA256,
            _ => return false,
        };
        let Ok(sent) = BASE64.decode(&self.signature) else {
            return false;
        };
        UnparsedPublicKey::new(algorithm, public_key)
            .verify(self.signed_text().as_bytes(), &sent)
            .is_ok()
    }
}

impl Sns {
    async fn key(&self, url: &Url) -> Result<Arc<Vec<u8>>, Error> {
        let known = self
            .keys
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(url.as_str())
            .cloned();
        if let Some(key) = known {
            return Ok(key);
        }
        let _turn = self.fetching.try_acquire().map_err(|_| Error::SnsAway)?;
        let pem = self.fetch.get(url.clone()).await?;
        let key = public_key(&pem).ok_or(Error::SignatureNotValid(
            "failed to read the SNS certificate",
        ))?;
        let key = Arc::new(key);
        let mut known = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_CERTIFICATES {
            known.clear();
        }
        known.insert(url.to_string(), Arc::clone(&key));
        Ok(key)
    }
}

/// Parses an address of SNS: https, the default port, `sns.<region>.amazonaws.com`, optionally with `.cn`.
fn sns_url(text: &str) -> Option<Url> {
    let url = parse_url(text).ok()?;
    let host = url.host_str()?;
    let region = host.strip_prefix("sns.")?;
    let region = region
        .strip_suffix(".amazonaws.com")
        .or_else(|| region.strip_suffix(".amazonaws.com.cn"))?;
    let is_region = !region.is_empty()
        && region
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    let is_plain = url.scheme() == "https"
        && url.port().is_none()
        && url.username().is_empty()
        && url.password().is_none();
    (is_region && is_plain).then_some(url)
}

/// Parses the address of a certificate of SNS: `/SimpleNotificationService-<hex>.pem` without a
/// query or fragment. Other addresses of SNS can return content that anyone chooses.
fn certificate_url(text: &str) -> Option<Url> {
    let url = sns_url(text)?;
    let digits = url
        .path()
        .strip_prefix("/SimpleNotificationService-")?
        .strip_suffix(".pem")?;
    let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_hex && digits.len() <= 64 && url.query().is_none() && url.fragment().is_none())
        .then_some(url)
}

#[async_trait]
impl Fetch for Guarded {
    async fn get(&self, url: Url) -> Result<Vec<u8>, Error> {
        let away = |error: tarsy_egress::Error| {
            tracing::warn!(?error, "failed to reach Amazon SNS");
            Error::SnsAway
        };
        let mut policy = Policy::bounded(PATIENCE, LARGEST)
            .allow(url.host_str().unwrap_or_default(), Access::default());
        policy.max_redirects = 0;
        let client = Client::new(policy, Arc::new(SystemLookup)).map_err(away)?;
        let answer = client.get(url, |_| HeaderMap::new()).await.map_err(away)?;
        if answer.status.is_success() {
            Ok(answer.body)
        } else {
            Err(Error::SnsAway)
        }
    }
}

/// Returns the RSA key of a certificate as PKCS #1.
fn public_key(pem: &[u8]) -> Option<Vec<u8>> {
    /// `AlgorithmIdentifier` of an RSA key, which has no variants (RFC 8017 A.1).
    const RSA: [u8; 15] = [
        0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
    ];
    let der = CertificateDer::from_pem_slice(pem).ok()?;
    let certificate = webpki::EndEntityCert::try_from(&der).ok()?;
    let info = certificate.subject_public_key_info();
    let at = info
        .as_ref()
        .windows(RSA.len())
        .position(|window| window == RSA)?;
    // A BIT STRING: its length in one to three bytes, the number of unused bits (0), then the key.
    let bits = info.as_ref().get(at + RSA.len()..)?.strip_prefix(&[0x03])?;
    let header = match bits.first()? {
        0x81 => 2,
        0x82 => 3,
        _ => 1,
    };
    bits.get(header..)?
        .strip_prefix(&[0x00])
        .map(<[u8]>::to_vec)
}

#[cfg(test)]
mod tests;
