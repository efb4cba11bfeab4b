//! Prepares data of rejected requests for storage: masks it, shortens it, and removes what Postgres
//! can't store.

use axum::http::HeaderMap;
use serde_json::{Map, Value};
use tarsy_masking::Masker;
use tarsy_model::storable;

use crate::alerts::rejected::journal::kept_headers;

/// Bytes that are stored of a body whose sender is authenticated.
const PROVEN: usize = 64 * 1024;
/// Bytes that are stored of any other body.
const UNPROVEN: usize = 4 * 1024;
/// Bytes after the stored ones that are masked too, so that no half of a secret is stored.
const MARGIN: usize = 1024;
/// Characters that are stored of a detail or name.
const SHORT: usize = 500;

/// A body as it is stored.
pub(super) struct KeptBody {
    pub(super) text: String,
    /// Whether it equals the body that was sent.
    pub(super) is_whole: bool,
}

/// Masks and truncates a body.
pub(super) fn body(masker: &Masker, sent: &[u8], is_proven: bool) -> KeptBody {
    let most = if is_proven { PROVEN } else { UNPROVEN };
    let start = sent.get(..most + MARGIN).unwrap_or(sent);
    let read = String::from_utf8_lossy(start);
    let mut text = storable(masker.mask_or_withhold(&read));
    text.truncate(text.floor_char_boundary(most));
    KeptBody {
        is_whole: text.as_bytes() == sent,
        text,
    }
}

/// Masks and truncates a short text, such as a detail or a name.
pub(super) fn short(masker: &Masker, text: &str) -> String {
    let start: String = text.chars().take(SHORT * 2).collect();
    let masked = storable(masker.mask_or_withhold(&start));
    masked.chars().take(SHORT).collect()
}

/// Returns the masked headers that identify the delivery.
pub(super) fn headers(masker: &Masker, headers: Option<&HeaderMap>) -> Value {
    let Some(Value::Object(kept)) = headers.map(kept_headers) else {
        return Value::Object(Map::new());
    };
    let masked = kept.into_iter().map(|(name, value)| {
        let text = short(masker, value.as_str().unwrap_or_default());
        (name, Value::String(text))
    });
    Value::Object(masked.collect())
}

#[cfg(test)]
mod tests {
    use tarsy_masking::DEFAULT_GROUP;

    use super::*;

    fn masker() -> Masker {
        Masker::group(DEFAULT_GROUP).unwrap()
    }

    #[test]
    fn a_body_is_kept_masked_and_short() {
        let plain = body(&masker(), br#"{"alert_type": "Nope"}"#, false);
        assert_eq!(
            (plain.text.as_str(), plain.is_whole),
            (r#"{"alert_type": "Nope"}"#, true)
        );

        let secret = br#"{"password": "hunter2-and-more"}"#;
        let masked = body(&masker(), secret, true);
        assert!(
            !masked.is_whole && !masked.text.contains("hunter2"),
            "{}",
            masked.text
        );

        for odd in [&b"{\"a\": \"\xff\"}"[..], b"a\0b"] {
            let kept = body(&masker(), odd, true);
            assert!(!kept.is_whole && !kept.text.contains('\0'));
        }
        let large = "ä".repeat(100_000);
        let (known, unknown) = (
            body(&masker(), large.as_bytes(), true),
            body(&masker(), large.as_bytes(), false),
        );
        assert!(!known.is_whole && known.text.len() <= PROVEN);
        assert!(!unknown.is_whole && unknown.text.len() <= UNPROVEN);
    }

    #[test]
    fn no_half_of_a_secret_is_kept() {
        let secret = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        for before in [UNPROVEN - 20, UNPROVEN - 4, UNPROVEN - 39] {
            let text = format!("{} token {secret}", "x".repeat(before - 7));
            let kept = body(&masker(), text.as_bytes(), false).text;
            assert!(!kept.contains("ghp_a1"), "{}", &kept[before - 10..]);
        }
    }
}
