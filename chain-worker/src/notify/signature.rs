//! Signatures of Standard Webhooks: HMAC-SHA256 over `<id>.<time>.<body>`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use ring::hmac;
use tarsy_config::Secret;

/// Returns the `webhook-signature` of a message; `None` if the secret is not base64.
pub(super) fn sign(secret: &Secret, id: &str, unix_seconds: i64, body: &str) -> Option<String> {
    let secret = secret.expose();
    let key = BASE64
        .decode(secret.strip_prefix("whsec_").unwrap_or(secret))
        .ok()?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let mac = hmac::sign(&key, format!("{id}.{unix_seconds}.{body}").as_bytes());
    Some(format!("v1,{}", BASE64.encode(mac)))
}

/// Encodes bytes as base64 with padding.
pub(super) fn base64(bytes: &[u8]) -> String {
    BASE64.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_answer_of_the_specification() {
        let secret = Secret::new("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
        let signed = sign(
            &secret,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            r#"{"test": 2432232314}"#,
        );
        assert_eq!(
            signed.as_deref(),
            Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        );
    }
}
