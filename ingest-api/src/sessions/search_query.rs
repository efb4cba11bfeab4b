//! Splits the text of a search box into filters and search text.

use tarsy_model::{FieldKind, SessionField};

/// Filters, as parameters of the list, and the remaining text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SearchQuery {
    pub(crate) filters: Vec<(SessionField, String)>,
    pub(crate) text: String,
}

impl SearchQuery {
    /// Parses a text like `cluster:eu severity:critical "out of memory" disk` into filters by name
    /// and text. An unknown name is part of the text, so that `http://host` can be found.
    pub(crate) fn read(typed: &str) -> Self {
        let mut query = Self::default();
        let mut text = Vec::new();
        for word in words(typed) {
            match filter(word) {
                Some(filter) => query.filters.push(filter),
                None => text.push(word),
            }
        }
        query.text = text.join(" ");
        query
    }
}

/// Splits a text into words. `"a b"` and `name:"a b"` are one word each and keep their quotes.
fn words(typed: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = typed.trim_start();
    while !rest.is_empty() {
        let space = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let opened = rest[..space].find('"');
        let opened = opened.filter(|at| *at == 0 || rest[..*at].ends_with(':'));
        let closed = opened.and_then(|at| Some(at + 1 + rest[at + 1..].find('"')? + 1));
        let (word, after) = rest.split_at(closed.unwrap_or(space));
        words.push(word);
        rest = after.trim_start();
    }
    words
}

fn filter(word: &str) -> Option<(SessionField, String)> {
    let (name, value) = word.split_once(':')?;
    let field = match name {
        "alert" => SessionField::AlertType,
        "chain" => SessionField::ChainId,
        "since" => SessionField::StartedFrom,
        "until" => SessionField::StartedBefore,
        _ => SessionField::named(name)?,
    };
    let quoted = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    let value = quoted.unwrap_or(value);
    (field.kind() != FieldKind::Search && !value.is_empty()).then(|| (field, value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(typed: &str) -> (Vec<(&'static str, String)>, String) {
        let query = SearchQuery::read(typed);
        let filters = query.filters.into_iter();
        (
            filters
                .map(|(field, value)| (field.name(), value))
                .collect(),
            query.text,
        )
    }

    #[test]
    fn filters_are_taken_out_of_the_text() {
        let (filters, text) = read(r#"disk cluster:eu "out of memory" alert:"Disk Full""#);
        assert_eq!(
            filters,
            [
                ("cluster", "eu".to_owned()),
                ("alert_type", "Disk Full".to_owned())
            ]
        );
        assert_eq!(text, r#"disk "out of memory""#);
    }

    #[test]
    fn what_is_no_filter_is_text() {
        for text in [
            "http://host:80",
            "note:this",
            "cluster:",
            "search:abc",
            r#"cluster:"""#,
            r#"say "no"#,
            "größe:ß",
        ] {
            assert_eq!(read(text), (Vec::new(), text.to_owned()), "{text}");
        }
    }
}
