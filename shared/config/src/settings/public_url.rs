//! URL at which people reach the dashboard.

use super::reader::Reader;

/// Reads `TARSY_PUBLIC_URL`, without a trailing slash. No default.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<String> {
    const NAME: &str = "TARSY_PUBLIC_URL";
    let text = reader.text(
        NAME,
        "",
        "where people reach the dashboard, e.g. `https://tarsy.example.com`; notifications link to it, and the identity provider sends browsers back to it",
    )?;
    match url::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.query().is_none() => {
            Some(url.as_str().trim_end_matches('/').to_owned())
        }
        _ => {
            reader.problem(
                format!("`{NAME}`: invalid URL"),
                "set it to the address in front of the API, e.g. `https://tarsy.example.com`",
            );
            None
        }
    }
}
