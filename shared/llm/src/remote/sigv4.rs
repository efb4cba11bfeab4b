//! Signs requests for AWS, with signature version 4.
//! <https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html>

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use ring::{digest, hmac};
use url::Url;

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// A request without a signature.
pub(super) struct Unsigned<'r> {
    pub(super) method: &'r str,
    pub(super) url: &'r Url,
    /// Headers that are signed: lower-case names, sorted, including `host` and `x-amz-date`.
    pub(super) headers: &'r [(&'r str, &'r str)],
    pub(super) body: &'r [u8],
}

/// Keys of the signature, and the scope that it is valid for.
pub(super) struct Scope<'r> {
    pub(super) access_key_id: &'r str,
    pub(super) secret_access_key: &'r str,
    pub(super) region: &'r str,
    pub(super) service: &'r str,
    pub(super) time: DateTime<Utc>,
}

/// Formats a time for the header `x-amz-date`.
pub(super) fn amz_date(time: DateTime<Utc>) -> String {
    time.format("%Y%m%dT%H%M%SZ").to_string()
}

/// Returns the value of the header `Authorization`.
pub(super) fn authorization(request: &Unsigned<'_>, scope: &Scope<'_>) -> String {
    let names: Vec<&str> = request.headers.iter().map(|(name, _)| *name).collect();
    let names = names.join(";");
    let day = scope.time.format("%Y%m%d").to_string();
    let to = format!("{day}/{}/{}/aws4_request", scope.region, scope.service);
    let canonical =
        hex(digest::digest(&digest::SHA256, canonical(request, &names).as_bytes()).as_ref());
    let signed = format!("{ALGORITHM}\n{}\n{to}\n{canonical}", amz_date(scope.time));
    let secret = format!("AWS4{}", scope.secret_access_key);
    let key = [&day, scope.region, scope.service, "aws4_request"]
        .into_iter()
        .fold(secret.into_bytes(), |key, part| {
            mac(&key, part).as_ref().to_vec()
        });
    format!(
        "{ALGORITHM} Credential={}/{to}, SignedHeaders={names}, Signature={}",
        scope.access_key_id,
        hex(mac(&key, &signed).as_ref())
    )
}

/// Returns the canonical form of the request, whose digest is signed.
fn canonical(request: &Unsigned<'_>, names: &str) -> String {
    let mut query: Vec<&str> = request
        .url
        .query()
        .map_or_else(Vec::new, |query| query.split('&').collect());
    query.sort_unstable();
    let mut text = format!(
        "{}\n{}\n{}\n",
        request.method,
        escaped(request.url.path()),
        query.join("&")
    );
    for (name, value) in request.headers {
        text += &format!("{name}:{}\n", value.trim());
    }
    let body = hex(digest::digest(&digest::SHA256, request.body).as_ref());
    text + &format!("\n{names}\n{body}")
}

/// Escapes a path once more. All services but S3 sign paths in this form: `%3A` becomes `%253A`.
fn escaped(path: &str) -> String {
    let mut escaped = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                escaped.push(char::from(byte));
            }
            byte => {
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
    }
    escaped
}

fn mac(key: &[u8], text: &str) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(method: &str, url: &str, headers: &[(&str, &str)], body: &str) -> String {
        let url = Url::parse(url).unwrap();
        let mut all = vec![
            ("host", url.host_str().unwrap()),
            ("x-amz-date", "20150830T123600Z"),
        ];
        all.extend(headers);
        all.sort_unstable();
        let scope = |region, service| Scope {
            access_key_id: "AKIDEXAMPLE",
            secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            region,
            service,
            time: DateTime::parse_from_rfc3339("2015-08-30T12:36:00Z")
                .unwrap()
                .to_utc(),
        };
        let scope = match url.host_str() {
            Some("example.amazonaws.com") => scope("us-east-1", "service"),
            _ => scope("eu-central-1", "bedrock"),
        };
        let request = Unsigned {
            method,
            url: &url,
            headers: &all,
            body: body.as_bytes(),
        };
        let signed = authorization(&request, &scope);
        signed.rsplit_once('=').unwrap().1.to_owned()
    }

    /// Test vectors of the vendor's suite, under their names there.
    #[test]
    fn the_vendors_vectors_have_their_signatures() {
        let form = ("content-type", "application/x-www-form-urlencoded");
        for (name, got, wanted) in [
            (
                "get-vanilla",
                signature("GET", "https://example.amazonaws.com/", &[], ""),
                "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
            ),
            (
                "post-vanilla",
                signature("POST", "https://example.amazonaws.com/", &[], ""),
                "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
            ),
            (
                "get-vanilla-query-order-key-case",
                signature(
                    "GET",
                    "https://example.amazonaws.com/?Param2=value2&Param1=value1",
                    &[],
                    "",
                ),
                "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
            ),
            (
                "post-x-www-form-urlencoded",
                signature(
                    "POST",
                    "https://example.amazonaws.com/",
                    &[form],
                    "Param1=value1",
                ),
                "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
            ),
        ] {
            assert_eq!(got, wanted, "{name}");
        }
    }

    /// The signature that botocore 1.x makes for the same request: the model's `:` is escaped twice.
    #[test]
    fn a_path_is_escaped_twice() {
        let url = "https://bedrock-runtime.eu-central-1.amazonaws.com/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse";
        let headers = [
            ("content-type", "application/json"),
            ("x-amz-security-token", "a-session-token"),
        ];
        assert_eq!(
            signature("POST", url, &headers, r#"{"messages":[]}"#),
            "03484d598e778001cd78580866e7580647aeaa7a37e302628f5d9d3987ee0bea"
        );
    }
}
