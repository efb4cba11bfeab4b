//! Nonce of a page's scripts and styles.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// What the build writes where the nonce belongs (`web/ui/vite-app.js`).
pub(super) const PLACEHOLDER: &str = "TARSY_NONCE";

/// A random 128-bit nonce.
pub(super) fn nonce() -> String {
    URL_SAFE_NO_PAD.encode(rand::random::<[u8; 16]>())
}
