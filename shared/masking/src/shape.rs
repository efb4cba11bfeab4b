//! Forms of tokens: random text, or a name, a digest, or a path.

use std::sync::LazyLock;

use crate::bytes::{self, ALPHA, BASE64, DIGIT, HEX, LOWER, SLASH};

/// Most bytes whose entropy is measured.
const ENTROPY_BYTES: usize = 512;

/// `n * log2(n)` for each possible count of a byte.
static N_LOG_N: LazyLock<Vec<f32>> = LazyLock::new(|| {
    let number = |n: usize| n as f32;
    let product = |n| {
        if n == 0 {
            0.0
        } else {
            number(n) * number(n).log2()
        }
    };
    (0..=ENTROPY_BYTES).map(product).collect()
});

/// Returns the Shannon entropy in bits per byte.
pub(crate) fn entropy(token: &[u8]) -> f32 {
    let token = token.get(..ENTROPY_BYTES).unwrap_or(token);
    if token.is_empty() {
        return 0.0;
    }
    let product = |n: usize| N_LOG_N.get(n).copied().unwrap_or_default();
    let mut counts = [0_u16; 256];
    // The sum of `n * log2(n)` over all bytes, updated with each byte.
    let mut sum = 0.0;
    for byte in token {
        let count = &mut counts[*byte as usize];
        sum += product(usize::from(*count) + 1) - product(usize::from(*count));
        *count += 1;
    }
    (token.len() as f32).log2() - sum / token.len() as f32
}

/// Whether the token is a UUID: 8-4-4-4-12 hexadecimal digits.
pub(crate) fn is_uuid(token: &[u8]) -> bool {
    token.len() == 36
        && token.iter().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => bytes::is(*b, HEX),
        })
}

/// Whether the token is at least 16 hexadecimal digits, with letters and decimal digits among them.
pub(crate) fn is_hex(token: &[u8]) -> bool {
    token.len() >= 16
        && bytes::all(token, HEX)
        && bytes::any(token, ALPHA)
        && bytes::any(token, DIGIT)
}

/// Whether the token looks like random letters and digits. At least one part without separators must have `least` bytes
/// or more. It must mix digits and letters in a way that words, version numbers and generated names do not.
pub(crate) fn is_random(token: &[u8], least: usize) -> bool {
    let mixed = |part: &[u8]| part.len() >= least && mixes(part);
    if token.len() < least {
        return false;
    }
    // Base64 that contains separators counts as one part if its parts are too short for a decision.
    token
        .split(|b| matches!(b, b'-' | b'_' | b'.' | b'/' | b':' | b'+' | b'=' | b'~'))
        .any(mixed)
        || (token.len() >= 24 && !looks_like_path(token) && mixes_case(token))
}

/// Whether the token mixes lower case, upper case and digits evenly, as base64 does.
pub(crate) fn mixes_case(token: &[u8]) -> bool {
    let (lower, upper, digits) = counts(token);
    let fair = token.len() / 12;
    lower > fair
        && upper > fair
        && digits > token.len() / 25
        && changes(token) * 10 >= token.len() * 3
        && entropy(token) >= 3.6
}

/// Whether the token mixes lower case, upper case and digits as only random text does. Names in camel case change less
/// often.
pub(crate) fn is_scrambled(token: &[u8]) -> bool {
    mixes_case(token) && changes(token) * 20 >= token.len() * 9
}

/// Whether a token looks random although it is short: lower case, upper case and digits alternate.
pub(crate) fn is_drawn(token: &[u8]) -> bool {
    let (lower, upper, digits) = counts(token);
    token.len() >= 8
        && lower > 0
        && upper > 0
        && digits > 0
        && lower + upper + digits == token.len()
        && changes(token) * 2 >= token.len()
}

/// Starts of technical names (`s3`, `log4j`, `v1beta1`), which are not words with a digit in place of a letter.
const TECHNICAL: &[&str] = &[
    "s3", "l3", "l4", "l7", "h3", "d3", "v1", "v3", "v4", "v5", "v7", "md5", "sha1", "log4",
    "slf4", "mp3", "mp4", "web3", "py3", "r5", "m5", "c5", "t3", "i3", "x1", "p1", "p3", "ipv4",
    "http1", "oauth1", "tls1", "java1",
];

/// Whether the token contains a word with a digit in place of a letter (`r00ted`, `p4ssing-by`). People make passwords
/// in this way.
pub(crate) fn is_leet(token: &[u8]) -> bool {
    let letter = |byte: u8| match byte {
        b'0' => b'o',
        b'1' => b'i',
        b'3' => b'e',
        b'4' => b'a',
        b'5' => b's',
        b'7' => b't',
        other => other,
    };
    token.len() < 40
        && token.split(|b| !b.is_ascii_alphanumeric()).any(|part| {
            let digits = part.iter().filter(|b| b.is_ascii_digit()).count();
            let inner = |at: usize, next: usize| {
                let (digit, last) = (bytes::at(part, at), bytes::at(part, next - 1));
                letter(digit) != digit
                    && letter(last) != last
                    && bytes::before(part, at).is_ascii_alphabetic()
                    && bytes::at(part, next).is_ascii_alphabetic()
            };
            let replaced = (1..part.len()).any(|at| inner(at, at + 1) || inner(at, at + 2));
            let pronounceable = part
                .iter()
                .filter(|b| b"aeiouyAEIOUY".contains(&letter(**b)))
                .count()
                * 4
                >= part.len();
            let technical = TECHNICAL
                .iter()
                .any(|start| bytes::has_at(part, 0, start.as_bytes()));
            part.len() >= 5
                && digits * 3 <= part.len()
                && replaced
                && pronounceable
                && !technical
                && !bytes::all(part, HEX)
        })
}

/// Whether the token has letters of both cases, evenly and without order, with few digits or none.
pub(crate) fn is_jumbled(token: &[u8]) -> bool {
    let (lower, upper, digits) = counts(token);
    let fair = token.len() * 3 / 10;
    token.len() >= 16
        && lower + upper + digits == token.len()
        && lower >= fair
        && upper >= fair
        && changes(token) * 10 >= token.len() * 3
        && entropy(token) >= 3.4
}

/// Whether the token is certainly random, regardless of the text around it: not a word, a name, a number or an
/// alphabet.
pub(crate) fn is_surely_drawn(token: &[u8]) -> bool {
    let token = token
        .split(|b| matches!(b, b'-' | b'_'))
        .max_by_key(|part| part.len())
        .unwrap_or_default();
    if token.len() < 20 {
        return false;
    }
    let (lower, upper, digits) = counts(token);
    let least = token.len() / 10;
    // Words without digits, and hexadecimal digits in one case, may not be random.
    let hexadecimal = lower == 0 || upper == 0;
    if digits == 0
        || lower + upper + digits + 3 < token.len()
        || hexadecimal && bytes::all(token, HEX)
    {
        return false;
    }
    let steps = token
        .iter()
        .zip(token.iter().skip(1))
        .filter(|(a, b)| a.abs_diff(**b) <= 1)
        .count();
    if steps * 6 > token.len() {
        return false;
    }
    let one_case = (lower == 0 || upper == 0)
        && digits > token.len() / 7
        && digits * 5 < token.len() * 3
        && changes(token) * 3 >= token.len()
        && !bytes::all(token, HEX | bytes::DASH)
        && entropy(token) >= 3.5;
    let mixed = lower > least && upper > least && digits > 1 && is_scrambled(token);
    one_case || mixed
}

fn mixes(part: &[u8]) -> bool {
    let (lower, upper, digits) = counts(part);
    let letters = lower + upper;
    digits >= 2
        && letters >= 2
        && (digits * 12 >= part.len() || (lower > 0 && upper > part.len() / 8))
        && changes(part) * 5 >= part.len()
        && entropy(part) >= 2.8
}

/// Kind of each byte: 1 lower case, 2 upper case, 3 digit, 0 other.
const KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte as u8 {
            b'a'..=b'z' => 1,
            b'A'..=b'Z' => 2,
            b'0'..=b'9' => 3,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// Returns how many pairs of neighbours are of different kinds: lower case, upper case, digit, other.
fn changes(token: &[u8]) -> usize {
    let kind = |b: u8| KINDS[b as usize];
    let neighbours = token.iter().zip(token.iter().skip(1));
    neighbours.filter(|(a, b)| kind(**a) != kind(**b)).count()
}

/// Returns the numbers of lower-case letters, upper-case letters and digits.
fn counts(token: &[u8]) -> (usize, usize, usize) {
    let mut counts = [0; 4];
    for byte in token {
        counts[KINDS[*byte as usize] as usize & 3] += 1;
    }
    let [_, lower, upper, digits] = counts;
    (lower, upper, digits)
}

/// Whether the token has several segments between slashes, some of which are words: a path, an image reference, a URL.
pub(crate) fn looks_like_path(token: &[u8]) -> bool {
    if !token.contains(&b'/') {
        return false;
    }
    let rooted = token.starts_with(b"/")
        || token.starts_with(b"./")
        || token.starts_with(b"../")
        || token.starts_with(b"~/");
    let segments = token.split(|b| *b == b'/').filter(|s| !s.is_empty());
    let (mut words, mut total) = (0, 0);
    for segment in segments {
        total += 1;
        let plain = segment
            .iter()
            .all(|b| bytes::is(*b, LOWER | DIGIT) || matches!(b, b'-' | b'_' | b'.'));
        words += usize::from(plain && segment.len() >= 2);
    }
    words * 2 > total || (rooted && words * 3 >= total && token.len() < 40)
}

/// Whether the token is standard base64, and not a word, a path or a hexadecimal number.
pub(crate) fn is_base64(token: &[u8]) -> bool {
    bytes::all(token, BASE64 & !SLASH | SLASH)
        && !is_hex(token)
        && !looks_like_path(token)
        && mixes_case(token)
}

/// Whether the text is a filler for a token in documentation: `XXXX…`, `0000…`, `****`.
pub(crate) fn is_filler(body: &[u8]) -> bool {
    let body = body.get(..256).unwrap_or(body);
    // The longest part decides. Of two parts of equal length, the last one does.
    let (mut longest, mut filled) = (0, false);
    for part in body.split(|b| matches!(b, b'-' | b'_' | b'.' | b'/')) {
        if part.len() < longest {
            continue;
        }
        longest = part.len();
        filled = part.first().is_some_and(|first| {
            matches!(first, b'x' | b'X' | b'0' | b'*')
                && part.iter().all(|b| b.eq_ignore_ascii_case(first))
        });
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distinguishes_random_from_named() {
        for token in [
            "q8Zx2LmP0aRt7VbN",
            "k3j9x0v2m4n8b6c1z5q7",
            "aB3-dE6fG9hJ2kL5mN8pQ1",
            "V1StGXR8_Z5jdHi6B-myT78q",
        ] {
            assert!(is_random(token.as_bytes(), 16), "{token}");
        }
        for token in [
            "payment-service-7d9f8b6c5d-x2x4z",
            "kube-prometheus-stack-operator-2",
            "ThisIsAJavaClassNameWith2Parts",
            "registry.k8s.io/ingress-nginx/controller",
            "application_configuration_v2",
        ] {
            assert!(!is_random(token.as_bytes(), 16), "{token}");
        }
    }

    #[test]
    fn knows_uuids_and_digests() {
        assert!(is_uuid(b"3f2504e0-4f89-11d3-9a0c-0305e82c3301"));
        assert!(is_hex(b"d41d8cd98f00b204e9800998ecf8427e"));
        assert!(!is_hex(b"1234567890123456"));
    }
}
