//! The user in `user:password`. The user's name is usually not a secret.

use crate::bytes::{self, ALNUM, AT, DASH, DOT, PERCENT, PLUS, UNDERSCORE};
use crate::judge::prefixed::is_prefixed;
use crate::shape;

/// Longest name of a user, in bytes.
const USER_BYTES: usize = 64;

/// Returns the start of the secret part of `user:password`: after the colon, unless the user may be a token.
pub(crate) fn password_start(login: &[u8]) -> usize {
    let Some(colon) = login.iter().position(|b| *b == b':') else {
        return 0;
    };
    let (user, password) = (login.get(..colon), login.get(colon + 1..));
    // `https://<token>:x-oauth-basic@github.com`, `https://<key>:x@host`
    let is_key = password.is_some_and(|password| password.len() < 3 || password.starts_with(b"x-"));
    if !is_key && user.is_some_and(is_user) {
        colon + 1
    } else {
        0
    }
}

/// Whether `name` looks like the name of a person or machine, and not random.
fn is_user(name: &[u8]) -> bool {
    name.is_empty()
        || name.len() <= USER_BYTES
            && bytes::all(name, ALNUM | UNDERSCORE | DASH | DOT | AT | PERCENT | PLUS)
            && !shape::is_hex(name)
            && !shape::is_uuid(name)
            && !shape::is_random(name, 12)
            && !shape::is_jumbled(name)
            && !shape::is_drawn(name)
            && !is_prefixed(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_users_stay_and_tokens_are_masked() {
        for user in [
            "root",
            "svc_orders",
            "ops@acme.io",
            "oncall-bot",
            "x-access-token",
            "team%2Fapp",
            "",
        ] {
            let login = format!("{user}:hunter2x");
            assert_eq!(password_start(login.as_bytes()), user.len() + 1, "{user}");
        }
        for login in [
            "q8Zx2LmP0aRt7VbN:hunter2x",
            "4bf92f3577b34da6a3ce929d0e0e4736:hunter2x",
            "acme_live_q8Zx2LmP0aRt7VbNk3j9:hunter2x",
            "deploy:x-oauth-basic",
            "hunter2x",
        ] {
            assert_eq!(password_start(login.as_bytes()), 0, "{login}");
        }
    }
}
