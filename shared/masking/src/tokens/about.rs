//! What the words before a token say it is, when it is no secret.

use std::sync::LazyLock;

use crate::bytes::{self, ALNUM, DOT, URLSAFE};
use crate::pieces::{Lexicon, Pieces};

const NAMES_OF_IDENTIFIERS: &[&str] = &[
    "sha256",
    "sha1",
    "sha512",
    "sha384",
    "digest",
    "uuid",
    "trace",
    "span",
    "commit",
    "image",
    "request",
    "checksum",
    "integrity",
    "etag",
    "hash",
    "revision",
    "container",
    "correlation",
    "instance",
    "resourceversion",
    "fingerprint",
    "public",
    "md5",
    "build",
    "nonce",
    "cursor",
    "continue",
    "thumbprint",
    "blob/",
    "tree/",
    "pod",
    "node",
    "replicaset",
    "tag",
    "version",
    "http://",
    "https://",
    "sourcemap",
    "data:",
    "verify",
    "module",
    "serial",
    "resolved",
    "event",
    "parent",
    "operation",
    "delivery",
    "incident",
    "lineage",
];
static IDENTIFIERS: LazyLock<Pieces> = LazyLock::new(|| Pieces::new(NAMES_OF_IDENTIFIERS));

/// Whether the words before a token call it an identifier or a checksum.
pub(super) fn is_about_id(named: &[u8]) -> bool {
    if IDENTIFIERS.found(named) {
        return true;
    }
    is_id(named)
}

/// Whether the last name before a token ends in `id`.
pub(super) fn is_id(named: &[u8]) -> bool {
    let trimmed = named
        .iter()
        .rposition(|b| bytes::is(*b, ALNUM))
        .map_or(0, |i| i + 1);
    let name_start = bytes::run_back(named, trimmed, URLSAFE | DOT, 48);
    let name = named.get(name_start..trimmed).unwrap_or_default();
    let tail = name.get(name.len().saturating_sub(3)..).unwrap_or_default();
    name.eq_ignore_ascii_case(b"id")
        || name.eq_ignore_ascii_case(b"uid")
        || name.ends_with(b"Id")
        || name.ends_with(b"ID")
        || tail.eq_ignore_ascii_case(b"_id")
        || tail.eq_ignore_ascii_case(b"-id")
        || tail.eq_ignore_ascii_case(b".id")
}

/// `sha256:`, `sha512-` directly before the token, or as its start.
pub(super) fn is_digest_label(text: &[u8], start: usize) -> bool {
    let labelled = |at: usize| {
        [
            &b"sha1"[..],
            b"sha256",
            b"sha384",
            b"sha512",
            b"md5",
            b"blake",
            b"h1",
        ]
        .iter()
        .any(|label| bytes::has_at(text, at, label))
    };
    let before = start.saturating_sub(1);
    let word = bytes::run_back(text, before, ALNUM, 8);
    labelled(start) || (matches!(bytes::at(text, before), b':' | b'-' | b'=') && labelled(word))
}

/// Whether the name that is given the value at `start` calls it public: `public_key = "…`.
pub(super) fn is_public(text: &[u8], start: usize) -> bool {
    let between = |b: &&u8| matches!(b, b'"' | b'\'' | b'\\' | b':' | b'=' | b' ');
    let head = text
        .get(start.saturating_sub(48)..start)
        .unwrap_or_default();
    let gap = head.iter().rev().take_while(between).count();
    let end = start - gap;
    let assigned = text
        .get(end..start)
        .is_some_and(|gap| gap.iter().any(|b| matches!(b, b':' | b'=')));
    let from = bytes::run_back(text, end, URLSAFE | DOT, 48);
    assigned && bytes::contains(text.get(from..end).unwrap_or_default(), b"public")
}

/// Names that logs and traces speak of all the time, with ids next to them.
const AMBIENT: &str = "checkout sentry grafana envoy honeycomb lightstep instana dynatrace jaeger splunk elastic docker kubernetes helm \
 argo consul nomad vault terraform linear shortcut notion harvest monday polygon segment harness lark fauna nimble persona signal \
 prefect semaphore render railway statuspage stripe gemini mistral drone monkey iterable duply transit upwave mixmax flow";

static AMBIENT_NAMES: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(&[AMBIENT]));

/// Whether a vendor's name says no more about a hexadecimal token than that it is an id.
pub(super) fn is_ambient(vendor: &[u8]) -> bool {
    AMBIENT_NAMES.lists(vendor) != 0
}
