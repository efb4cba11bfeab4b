//! Headers with secrets.

use reqwest::header::{HeaderMap, HeaderValue, InvalidHeaderValue};
use url::Url;

/// Converts a text to a header value that is kept out of logs.
///
/// # Errors
///
/// The text contains characters that are not allowed in a header.
pub fn secret_header(text: &str) -> Result<HeaderValue, InvalidHeaderValue> {
    let mut value = HeaderValue::from_str(text)?;
    value.set_sensitive(true);
    Ok(value)
}

/// Returns `headers` for URLs with the origin of `base`, and none for others. A redirect may lead to another host or
/// port, which must not get the secrets.
pub fn only_to(base: &Url, headers: &HeaderMap) -> impl Fn(&Url) -> HeaderMap {
    let origin = base.origin();
    move |url| match url.origin() == origin {
        true => headers.clone(),
        false => HeaderMap::new(),
    }
}
