//! Where the keys and values of a text are that reads as JSON, YAML, TOML, INI or an env file.
//!
//! A text of such a structure is masked value by value: a claim never covers a key, never crosses from one value
//! into the next, and takes a whole value under a secret's name. Every byte outside the claims stays as it is.
//! So is what a command printed in the text of a session, and each document of JSON between other lines.

mod assignments;
mod flow;
mod json;
mod leaf;
mod nested;
mod session;
mod yaml;

pub(crate) use leaf::{NONE, Role, Structure, Style};

/// The structure of `text`; `None` when it has none.
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
