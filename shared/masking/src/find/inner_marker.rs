//! Tokens that are recognised by characters in their middle.

use crate::bytes::{self, ALNUM, DIGIT, DOT, DOTTED, EQUALS, HEX, TILDE, TOKEN68, URLSAFE};
use crate::context::Context;
use crate::pattern::Pattern;

/// Scans the token that contains `start..end`.
pub(crate) fn scan(context: &mut Context<'_>, start: usize, end: usize) {
    let text = context.bytes;
    let from = |class, most| {
        bytes::after_escape(text, bytes::run_back(text, start, class, most)).min(start)
    };
    match text.get(start..end).unwrap_or_default() {
        // Azure client secret: three characters, a digit, `Q~`, 31 to 34 characters.
        b"Q~" => {
            let from = from(ALNUM | DOT | TILDE | bytes::UNDERSCORE | bytes::DASH, 4);
            let to = bytes::run(text, end, URLSAFE | DOT | TILDE, 40);
            if start - from == 4 && bytes::is(bytes::before(text, start), DIGIT) && to - end >= 28 {
                context.claim(from, to, Pattern::AzureKey);
            }
        }
        // Azure keys with a signature: base64 of one of three lengths, with the signature near the end.
        b"+ACR" | b"+AEh" | b"+ASb" | b"+ARm" | b"AIoT" | b"AzCa" | b"AzSe" | b"AzFu" => {
            let from = from(ALNUM | bytes::PLUS | bytes::SLASH, 48);
            let to = bytes::run(text, end, bytes::BASE64, 16);
            let after = to - end;
            if (33..=44).contains(&(start - from)) && (6..=12).contains(&after) {
                context.claim(from, to, Pattern::AzureKey);
            }
        }
        // Telegram bot: 8 to 10 digits, `:AA`, 33 characters.
        b":AA" => {
            let from = from(DIGIT, 12);
            let to = bytes::run(text, end, URLSAFE, 48);
            if (8..=10).contains(&(start - from)) && to - end >= 30 {
                context.claim(from, to, Pattern::ChatToken);
            }
        }
        // Signature in a shared access URL.
        b"sig="
            if matches!(
                bytes::before(text, start),
                b'?' | b'&' | b';' | 0 | b' ' | b'\n' | b'"' | b'\''
            ) =>
        {
            let to = bytes::run(text, end, bytes::BASE64 | URLSAFE | bytes::PERCENT, 256);
            if to - end >= 24 {
                context.claim(end, to, Pattern::AzureKey);
            }
        }
        b".atlasv1." => {
            let from = from(ALNUM, 20);
            let to = bytes::run(text, end, URLSAFE | EQUALS, 128);
            if start - from >= 10 && to - end >= 40 {
                context.claim(from, to, Pattern::InfraToken);
            }
        }
        // New Relic licence: preceded by 36 hexadecimal digits.
        b"NRAL" => {
            let from = from(HEX, 40);
            if start - from >= 32 && !bytes::is(bytes::at(text, end), ALNUM) {
                context.claim(from, end, Pattern::InfraToken);
            }
        }
        // Salesforce session: preceded by the id of the organisation, which begins with `00D`.
        b"!AQ" => {
            let from = from(ALNUM, 20);
            let to = bytes::run(text, end, DOTTED, 256);
            if bytes::has_at(text, from, b"00d") && start - from >= 15 && to - end >= 60 {
                context.claim(from, to, Pattern::SaasToken);
            }
        }
        // RapidAPI: preceded by ten characters, followed by `p1` and `jsn`.
        b"msh" => {
            let from = from(ALNUM, 12);
            let to = bytes::run(text, end, ALNUM, 48);
            let rest = text.get(end..to).unwrap_or_default();
            if start - from == 10 && bytes::has_at(rest, 15, b"p1") && bytes::contains(rest, b"jsn")
            {
                context.claim(from, to, Pattern::SaasToken);
            }
        }
        // MaxMind: six characters, 29, and the mark at the end.
        b"_mmk" => {
            let from = from(ALNUM | bytes::UNDERSCORE, 40);
            if start - from == 36 && !bytes::is(bytes::at(text, end), ALNUM) {
                context.claim(from, end, Pattern::SaasToken);
            }
        }
        // Authress: preceded by the application, followed by the account and the key.
        b".acc-" | b".acc_" => {
            let from = from(DOTTED, 48);
            let to = bytes::run(text, end, TOKEN68, 200);
            let named = [&b"sc_"[..], b"ext_", b"scauth_", b"authress_"];
            if named.iter().any(|prefix| bytes::has_at(text, from, prefix)) && to - end >= 40 {
                context.claim(from, to, Pattern::SaasToken);
            }
        }
        _ => {}
    }
}
