//! Finds the keys and values of a text in JSON, YAML, TOML, INI or the format of env files.
//!
//! A text with such a structure is masked value by value. A claim never covers a key and never extends from one value
//! into the next. Under a secret's name, it covers the whole value. Every byte outside the claims stays the same. The
//! output of commands in a shell session, and each JSON document between other lines, are masked in the same way.

mod assignments;
mod flow;
mod json;
mod leaf;
mod nested;
mod session;
mod yaml;

pub(crate) use leaf::{NONE, Role, Structure, Style};

/// Returns the structure of `text`; `None` if it has none.
pub(crate) fn read(text: &[u8]) -> Option<Structure> {
    at_depth(text, 0)
}

fn at_depth(text: &[u8], depth: u8) -> Option<Structure> {
    let whole = whole(text, depth);
    if depth > 0 {
        return whole;
    }
    whole.or_else(|| session::read(text, at_depth))
}

fn whole(text: &[u8], depth: u8) -> Option<Structure> {
    let first = *text.trim_ascii_start().first()?;
    let read = match first {
        b'{' | b'[' => json::read(text)
            .or_else(|| yaml::read(text))
            .or_else(|| assignments::read(text)),
        _ => yaml::read(text).or_else(|| assignments::read(text)),
    };
    let mut read = read?;
    read.keys = read.leaves.iter().filter(|l| l.role == Role::Key).count();
    (read.keys > 0).then(|| nested::expand(read, text, depth, at_depth))
}
