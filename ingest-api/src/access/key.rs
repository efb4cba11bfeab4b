//! What an API key looks like: `tarsy_<12 hex>_<64 hex>`.
//!
//! The part up to the second underscore is its prefix: it names the key and may be shown. The
//! rest is 256 random bits, so a plain SHA-256 keeps them safe.

use rand::RngCore as _;
use sha2::{Digest as _, Sha256};

/// What every key begins with; scanners for leaked secrets look for it.
pub(super) const BEGINNING: &str = "tarsy_";
const NAME_DIGITS: usize = 12;
const SECRET_DIGITS: usize = 64;

/// A key that was just made: the one moment in which it is known.
pub struct NewKey {
    /// The key itself, to be shown once and never kept.
    pub key: String,
    /// What may be shown of it.
    pub prefix: String,
    /// What is kept.
    pub hash: [u8; 32],
}

impl NewKey {
    /// A key that nobody else has.
    #[must_use]
    pub fn generate() -> Self {
        let mut bytes = [0; (NAME_DIGITS + SECRET_DIGITS) / 2];
        rand::rng().fill_bytes(&mut bytes);
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
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

/// The prefix of a text that could be a key.
pub(super) fn prefix_of(key: &str) -> Option<&str> {
    let digits = key.strip_prefix(BEGINNING)?;
    let (name, secret) = digits.split_once('_')?;
    let is_hex = |text: &str, length| {
        text.len() == length && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    };
    let fits = is_hex(name, NAME_DIGITS) && is_hex(secret, SECRET_DIGITS);
    fits.then(|| key.split_at(BEGINNING.len() + NAME_DIGITS).0)
}

pub(super) fn hash(key: &str) -> [u8; 32] {
    Sha256::digest(key.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_by_its_prefix_and_told_by_its_hash() {
        let made = NewKey::generate();
        assert_eq!(prefix_of(&made.key), Some(made.prefix.as_str()));
        assert_eq!(hash(&made.key), made.hash);
        assert!(!format!("{made:?}").contains(&made.key[made.prefix.len()..]));
        assert_ne!(NewKey::generate().key, made.key);
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
