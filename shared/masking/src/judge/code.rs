//! Program expressions that have the form of a value.

use crate::bytes::{self, ALNUM, ALPHA, DIGIT, DOT, SLASH, UNDERSCORE, UPPER};
use crate::candidate::{Extent, Joint, Sep};
use crate::judge::identifier;
use crate::judge::program;

/// Whether the value is an expression and not a literal: a call, a member, an index, a type, a variable.
pub(crate) fn is_code(text: &[u8], joint: &Joint, extent: &Extent, value: &[u8]) -> bool {
    let name_end = bytes::run(value, 0, ALNUM | UNDERSCORE | DOT | bytes::COLON, 128);
    let next = bytes::at(value, name_end);
    let named = bytes::is(bytes::at(value, 0), ALPHA | UNDERSCORE) && !value.starts_with(b"_");
    let balanced = value.len() > name_end + 1
        && matches!(next, b'(' | b'[')
        && matches!(
            bytes::before(value, value.len()),
            b')' | b']' | b'\'' | b'"' | b',' | b';' | b'(' | b'[' | b'?' | b'!' | b'}'
        );
    let cut_by_quote = matches!(bytes::at(text, extent.end), b'"' | b'\'')
        && matches!(bytes::before(text, extent.end), b'(' | b'[');
    // `config.get('x`, `Annotated[str`: cut by a quote or a comma within the brackets.
    let opened = value.get(..name_end).unwrap_or_default();
    let cut = matches!(next, b'(' | b'[')
        && name_end >= 4
        && bytes::all(opened, ALPHA | UNDERSCORE | DOT)
        && (value.len() == name_end + 1
            || bytes::all(
                value.get(name_end + 1..).unwrap_or_default(),
                ALPHA | UNDERSCORE | DOT | bytes::COLON | SLASH,
            )
            || bytes::at(value, name_end + 1) == b'\'');
    // `secrets[0]['db`, `tokens[i].value`: an element of an element.
    let index = bytes::run(value, name_end + 1, DIGIT, 8);
    let index = if bytes::at(value, index) == b']' {
        index
    } else {
        bytes::run(value, name_end + 1, bytes::LOWER | UNDERSCORE, 16)
    };
    let after = bytes::at(value, index + 1);
    let indexed = next == b'['
        && index > name_end + 1
        && bytes::at(value, index) == b']'
        && (bytes::is(bytes::at(value, index - 1), DIGIT) || matches!(after, b'.' | b'[' | 0));
    if named && (balanced || cut_by_quote || cut || indexed)
        || value.starts_with(b"*")
        || value.starts_with(b"&") && joint.sep == Sep::Colon
        || value.starts_with(b"(")
        || value.starts_with(b"$(")
        || is_variable_used(value)
        || program::is_expression(text, joint, extent, value)
    {
        return true;
    }
    if is_program(value, name_end, joint) {
        return true;
    }
    let member = named
        && name_end == value.len()
        && value.contains(&b'.')
        && value.split(|b| *b == b'.').all(|part| {
            part.first()
                .is_some_and(|b| bytes::is(*b, ALPHA | UNDERSCORE))
                && part.iter().filter(|b| b.is_ascii_digit()).count() <= 1
        });
    // `Ed25519.BlindSignatures`: the type has a number, its member does not.
    let member = member
        || joint.spaced
            && joint.sep == Sep::Equals
            && named
            && name_end == value.len()
            && value.split(|b| *b == b'.').count() == 2
            && value
                .rsplit(|b| *b == b'.')
                .next()
                .is_some_and(|last| bytes::all(last, ALPHA | UNDERSCORE) && is_camel(last));
    let programming = joint.spaced
        && joint.sep == Sep::Equals
        && named
        && !extent.in_pairs
        && bytes::all(value, ALPHA | UNDERSCORE);
    let generic = value.ends_with(b">")
        || value.contains(&b'<') && value.contains(&b'>')
        || value.starts_with(b"->")
        || value.starts_with(b"=>");
    let sized =
        !value.is_empty() && bytes::all(value, DIGIT) && bytes::has_at(text, extent.end, b" byte");
    member
        && (joint.spaced
            || joint.sep == Sep::Colon
            || value.starts_with(b"self.")
            || value.starts_with(b"this."))
        || programming
        || generic
        || sized
}

/// Whether the value begins like program code and unlike any literal: `braced!(`, `Token![`, `_messages.Field(`,
/// `Option<&`, `&name[`, `=> 0x17`.
fn is_program(value: &[u8], name_end: usize, joint: &Joint) -> bool {
    let name = value.get(..name_end).unwrap_or_default();
    let next = bytes::at(value, name_end);
    let lettered = name.len() >= 3 && bytes::any(name, ALPHA);
    let worded = name.len() >= 3 && bytes::all(name, ALPHA | UNDERSCORE | DOT | bytes::COLON);
    let called = next == b'(' && joint.spaced && (worded || identifier::is_code_name(name));
    // `::core::ffi::c_int`, `[crate::c_uchar; 32]`, `{string | Buffer}`.
    let path = value.strip_prefix(b"[").unwrap_or(value);
    let path = path.windows(2).any(|w| w == b"::")
        && bytes::all(path, ALNUM | UNDERSCORE | bytes::COLON | bytes::COMMA)
        || path.len() < value.len() && path.ends_with(b";");
    // `l=>c.get(`, `random::<[u8`
    let path = path || name_end > 0 && name.ends_with(b"::") && next == b'<';
    let arrow = name_end > 0 && bytes::has_at(value, name_end, b"=>");
    let opened = value.starts_with(b"{") && !value.contains(&b'}');
    let typed = next == b'<' && lettered && bytes::is(bytes::at(name, 0), UPPER);
    let invoked = next == b'!' && matches!(bytes::at(value, name_end + 1), b'(' | b'[' | b'{');
    let borrowed =
        matches!(value, [b'&', first, ..] if bytes::is(*first, ALPHA | UNDERSCORE)) && joint.spaced;
    let constant = joint.spaced
        && name_end == value.len()
        && (name.starts_with(b"_")
            || name.contains(&b':')
            || bytes::all(name, UPPER | UNDERSCORE | DIGIT))
        && name.contains(&b'_')
        && identifier::is_code_name(name);
    called
        || path
        || arrow
        || opened
        || lettered && invoked
        || typed
        || borrowed
        || constant
        || value.len() <= 10 && identifier::is_identifier(value)
}

/// Whether the value is an expression with a shell or PHP variable: `$_POST[`, `$user->secret`, `$read(`. Also whether
/// it is a template that a quote cut: `#{store[`.
fn is_variable_used(value: &[u8]) -> bool {
    if (value.starts_with(b"#{") || value.starts_with(b"${")) && !value.contains(&b'}') {
        return true;
    }
    let Some(name) = value.strip_prefix(b"$") else {
        return false;
    };
    let end = bytes::run(name, 0, ALNUM | UNDERSCORE, 64);
    let used = name.get(end..).unwrap_or_default();
    end >= 2
        && !bytes::is(bytes::at(name, 0), DIGIT)
        && (used.starts_with(b"[")
            || used.starts_with(b"->")
            || used.starts_with(b"::")
            || used.starts_with(b"("))
}

/// Whether the name is one word, or words in camel case.
fn is_camel(name: &[u8]) -> bool {
    let humps = name.iter().filter(|b| bytes::is(**b, UPPER)).count();
    humps * 3 <= name.len() && name.len() >= 3
}
