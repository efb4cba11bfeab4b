//! Compressed request bodies.

use std::io::Read as _;

use axum::http::{HeaderMap, header};
use bytes::Bytes;
use flate2::read::MultiGzDecoder;

use crate::problem::Problem;

/// Content encoding of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Identity,
    Gzip,
}

impl Encoding {
    /// Returns the encoding that the headers name.
    ///
    /// # Errors
    ///
    /// [`Problem::UnsupportedEncoding`] for any other encoding, and for more than one.
    pub(super) fn read(headers: &HeaderMap) -> Result<Self, Problem> {
        let mut named = headers.get_all(header::CONTENT_ENCODING).iter();
        let Some(first) = named.next() else {
            return Ok(Self::Identity);
        };
        let found = first.to_str().unwrap_or_default().trim();
        let found = found.to_ascii_lowercase();
        match (found.as_str(), named.next()) {
            ("" | "identity", None) => Ok(Self::Identity),
            ("gzip" | "x-gzip", None) => Ok(Self::Gzip),
            _ => Err(Problem::UnsupportedEncoding(
                found.chars().take(100).collect(),
            )),
        }
    }
}

/// Decompresses a body to at most `limit` bytes.
///
/// # Errors
///
/// [`Problem::BodyTooLarge`] beyond the limit, [`Problem::MalformedJson`] for a broken body.
pub(super) async fn decompress(compressed: Bytes, limit: usize) -> Result<Bytes, Problem> {
    let work = tokio::task::spawn_blocking(move || unpack(&compressed, limit)).await;
    work.unwrap_or_else(|error| Err(Problem::Internal(error.into())))
}

fn unpack(compressed: &[u8], limit: usize) -> Result<Bytes, Problem> {
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    MultiGzDecoder::new(compressed)
        .take(most)
        .read_to_end(&mut bytes)
        .map_err(|error| Problem::MalformedJson {
            line: 1,
            column: 1,
            detail: format!("the body can't be decompressed: {error}"),
        })?;
    match bytes.len() > limit {
        true => Err(Problem::BodyTooLarge(limit)),
        false => Ok(bytes.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use proptest::prelude::*;

    use super::*;

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn a_bomb_is_refused_and_a_cut_body_is_malformed() {
        let bomb = packed(&vec![b' '; 5_000_000]);
        assert!(bomb.len() < 10_000);
        assert!(matches!(
            unpack(&bomb, 4_999_999),
            Err(Problem::BodyTooLarge(4_999_999))
        ));
        assert_eq!(unpack(&bomb, 5_000_000).unwrap().len(), 5_000_000);
        let cut = &bomb[..bomb.len() / 2];
        assert!(matches!(
            unpack(cut, 5_000_000),
            Err(Problem::MalformedJson { .. })
        ));
        assert!(matches!(
            unpack(b"{}", 10),
            Err(Problem::MalformedJson { .. })
        ));
    }

    #[test]
    fn only_gzip_is_read() {
        let named = |values: &[&'static str]| {
            let values = values.iter().map(|value| {
                let value = axum::http::HeaderValue::from_static(value);
                (header::CONTENT_ENCODING, value)
            });
            Encoding::read(&values.collect())
        };
        for known in ["gzip", "GZIP", "x-gzip", " gzip "] {
            assert_eq!(named(&[known]).unwrap(), Encoding::Gzip, "{known}");
        }
        assert_eq!(named(&["identity"]).unwrap(), Encoding::Identity);
        assert_eq!(named(&[]).unwrap(), Encoding::Identity);
        for other in [
            &["br"][..],
            &["zstd"],
            &["deflate"],
            &["gzip, gzip"],
            &["gzip", "gzip"],
        ] {
            assert!(
                matches!(named(other), Err(Problem::UnsupportedEncoding(_))),
                "{other:?}"
            );
        }
    }

    proptest! {
        #[test]
        fn what_was_packed_is_unpacked(parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..2_000), 1..4)) {
            // Consecutive gzip members form one body (RFC 1952).
            let sent: Vec<u8> = parts.iter().flat_map(|part| packed(part)).collect();
            let whole = parts.concat();
            let unpacked = unpack(&sent, whole.len()).unwrap();
            prop_assert_eq!(&unpacked[..], &whole[..]);
        }
    }
}
