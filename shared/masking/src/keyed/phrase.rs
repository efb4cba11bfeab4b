//! Values of several words: passphrases, and sentences that only speak of a secret.

use std::sync::LazyLock;

use super::name::{Class, Weight};
use crate::bytes::{self, ALPHA, DIGIT, UPPER};
use crate::pattern::Pattern;
use crate::pieces::Lexicon;

/// Words of labels, messages and documentation: one of them makes a phrase none.
const TELLING: &str = "password passwords passwd passphrase passcode pwd secret secrets token tokens key keys credential credentials \
 username user users userid login logon signin account email enter type your must should required invalid incorrect wrong missing \
 characters character length field forgot reset confirm confirmation default optional string value values provided specified configured \
 used using set expired expires contains contain match matches valid authentication authorization authenticate error failed failure \
 cannot unable supported deprecated returns return returned whether if when which whose where these those true false null none name \
 names file path see example e.g i.e etc auth api http https url uri header parameter argument option specifies specify defines \
 contrasena contraseña passwort kennwort senha passe palavra hasło heslo parola wachtwoord lozinka salasana пароль parol clave mot \
 encrypted hashed hash database server client request response bytes object instance function integer number list array \
 cookie session access role permission permissions allowed denied generated created updated deleted stored \
 ask asked prompt read write show hide toggle change changed update remove delete add create copy retype repeat verify \
 dict any expected got found unexpected placeholder redacted hidden masked empty unset changeme";

/// Words that hold sentences together: as many of them as others make a phrase one.
const WEAK: &str = "the a an is are was were be been to of for in on with and or not no by as at from this that it its can will \
 may do does have has than then but into per";

static WORDS: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(&[TELLING, WEAK]));
const IS_TELLING: u16 = 1;
const IS_WEAK: u16 = 1 << 1;

/// The longest passphrase, in bytes.
const PHRASE_BYTES: usize = 128;

/// Whether the words of `value`, under a name of `class`, are the secret rather than a remark on it.
pub(super) fn is_secret(value: &[u8], class: Class) -> bool {
    let told = class.weight == Weight::Password
        || class.weight == Weight::Token && class.pattern == Pattern::Secret;
    let odd = bytes::any(value, DIGIT) || value.iter().any(|b| b"!@#$%^&*+~".contains(b));
    (told || odd && class.weight == Weight::Token) && is_passphrase(value)
}

fn is_passphrase(value: &[u8]) -> bool {
    if value.len() > PHRASE_BYTES || value.contains(&b'\n') || is_code(value) {
        return false;
    }
    let (mut count, mut weak, mut telling, mut spoken) = (0_usize, 0_usize, false, 0_usize);
    for word in value.split(u8::is_ascii_whitespace) {
        let word = word.strip_suffix(b"'s").unwrap_or(word);
        let from = word
            .iter()
            .position(|b| is_letter(*b))
            .unwrap_or(word.len());
        let to = word
            .iter()
            .rposition(|b| is_letter(*b))
            .map_or(from, |i| i + 1);
        let core = word.get(from..to).unwrap_or_default();
        if word.is_empty() {
            continue;
        }
        count += 1;
        spoken += usize::from(core.len() == word.len());
        let lists = WORDS.lists(core);
        weak += usize::from(lists & IS_WEAK != 0);
        telling |= lists & IS_TELLING != 0;
    }
    let odd = bytes::any(value, DIGIT);
    let last = bytes::before(value, value.len());
    let sentence = !odd
        && count >= 3
        && bytes::is(bytes::at(value, 0), UPPER)
        && matches!(last, b'.' | b'!' | b'?' | b':');
    (2..=10).contains(&count)
        && !telling
        && !sentence
        && last != b':'
        && (weak * 5 <= count * 2 || odd && weak * 2 <= count)
        && (spoken > 0 || odd)
        && value.iter().any(|b| bytes::is(*b, ALPHA) || *b >= 128)
}

fn is_letter(byte: u8) -> bool {
    bytes::is(byte, ALPHA) || byte >= 128
}

/// Brackets, operators and formats of programs.
fn is_code(value: &[u8]) -> bool {
    value
        .iter()
        .any(|b| matches!(b, b'{' | b'}' | b'<' | b'>' | b'|' | b'`'))
        || value.contains(&b'(') && value.contains(&b')')
        || value.contains(&b'[') && value.contains(&b']')
        || [
            &b" == "[..],
            b" = ",
            b" + ",
            b" ? ",
            b" != ",
            b" && ",
            b"%s",
            b"%d",
            b"\\n",
            b"://",
            b" - ",
            b": ",
            b"; ",
        ]
        .iter()
        .any(|mark| value.windows(mark.len()).any(|w| w == *mark))
}
