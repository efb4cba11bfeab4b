//! Nonce of a page's scripts and styles.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Placeholder that the build writes where the nonce belongs (`web/ui/vite-app.js`).
pub(super) const PLACEHOLDER: &str = "TARSY_NONCE";

/// Generates a random nonce of 128 bits.
pub(super) fn nonce() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 16]>())
}
