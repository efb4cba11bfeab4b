//! Formats of API keys, `tarsy_<12 hex>_<64 hex>`,
//! and of the tokens of browser sessions, `<32 hex of its id>_<64 hex>`.
//!
//! The part before the last underscore is the prefix. It names the key or the session and may be
//! shown. The rest is 256 random bits, so storing a plain SHA-256 hash is safe.

use rand::RngCore as _;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// Prefix of every key. Scanners for leaked secrets search for it.
pub(super) const BEGINNING: &str = "tarsy_";
const NAME_DIGITS: usize = 12;
const SECRET_DIGITS: usize = 64;
const SESSION_DIGITS: usize = 32;

/// A new API key. This is the only moment at which the key itself is known.
pub struct NewKey {
    /// The key itself. Show it once and never store it.
    pub key: String,
    /// The part of the key that may be shown.
    pub prefix: String,
    /// SHA-256 hash of the key, which is stored.
    pub hash: [u8; 32],
}

impl NewKey {
    /// Generates a random key.
    #[must_use]
    pub fn generate() -> Self {
        let mut bytes = [0; (NAME_DIGITS + SECRET_DIGITS) / 2];
        rand::rng().fill_bytes(&mut bytes);
        let digits = hex(&bytes);
        let (name, secret) = digits.split_at(NAME_DIGITS);
        let prefix = format!("{BEGINNING}{name}");
        let key = format!("{prefix}_{secret}");
        Self {
            hash: hash(&key),
            prefix,
            key,
        }
    }
}

impl std::fmt::Debug for NewKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewKey")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// Returns the prefix of a text that has the format of a key.
pub(super) fn prefix_of(key: &str) -> Option<&str> {
    let digits = key.strip_prefix(BEGINNING)?;
    let (name, secret) = digits.split_once('_')?;
    let fits = is_hex(name, NAME_DIGITS) && is_hex(secret, SECRET_DIGITS);
    fits.then(|| key.split_at(BEGINNING.len() + NAME_DIGITS).0)
}

/// A new token of a browser session.
pub(super) struct NewSessionToken {
    pub(super) session_id: Uuid,
    /// The token itself, which is never stored.
    pub(super) token: String,
    pub(super) hash: [u8; 32],
}

impl NewSessionToken {
    /// Generates a random token.
    pub(super) fn generate() -> Self {
        let mut bytes = [0; SECRET_DIGITS / 2];
        rand::rng().fill_bytes(&mut bytes);
        let session_id = Uuid::now_v7();
        let token = format!("{}_{}", session_id.simple(), hex(&bytes));
        Self {
            hash: hash(&token),
            session_id,
            token,
        }
    }
}

/// Returns the session id in a text that has the format of a token.
pub(super) fn session_of(token: &str) -> Option<Uuid> {
    let (id, secret) = token.split_once('_')?;
    let fits = is_hex(id, SESSION_DIGITS) && is_hex(secret, SECRET_DIGITS);
    fits.then(|| Uuid::try_parse(id).ok()).flatten()
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn hash(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_by_its_prefix_and_checked_by_its_hash() {
        let made = NewKey::generate();
        assert_eq!(prefix_of(&made.key), Some(made.prefix.as_str()));
        assert_eq!(hash(&made.key), made.hash);
        assert!(!format!("{made:?}").contains(&made.key[made.prefix.len()..]));
        assert_ne!(NewKey::generate().key, made.key);
    }

    #[test]
    fn a_session_is_found_by_its_id_and_checked_by_its_hash() {
        let made = NewSessionToken::generate();
        assert_eq!(session_of(&made.token), Some(made.session_id));
        assert_eq!(hash(&made.token), made.hash);
        for text in [
            "",
            "_",
            &made.token[1..],
            &format!("{}0", made.token),
            &made.token.to_uppercase(),
            &NewKey::generate().key,
        ] {
            assert_eq!(session_of(text), None, "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_keys() {
        let key = NewKey::generate().key;
        for text in [
            "",
            "tarsy_",
            "tarsy_x_y",
            &key[1..],
            &key[..key.len() - 1],
            &format!("{key}0"),
            &key.to_uppercase(),
            &key.replace("tarsy_", "tarsyé"),
        ] {
            assert_eq!(prefix_of(text), None, "{text}");
        }
    }
}
