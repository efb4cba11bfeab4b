//! Rules of approvals.

use std::collections::BTreeMap;

use serde::Serialize;
use tarsy_model::Role;

use crate::fields::{ByName, Fields, Flag, Text, Texts, choice, section};

/// A role that may decide about an approval.
pub(crate) struct Approver;
choice!(Approver: Role = [("operator", Role::Operator), ("admin", Role::Admin)]);

section! {
    /// Rules for approvals.
    struct ApprovalsFields("Approvals") {
        /// Whether people may approve what they requested themselves by a message or a question. Default: false.
        own_requests: Flag,
        /// Other names of the same person (API keys, Slack users, users of the identity provider), by one of their names. A
        /// person who requested something under one name can't approve it under another.
        same_person: ByName<Texts>,
    }
}

/// The `approvals` section.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Approvals {
    /// Whether a person may approve what they themselves asked for by a message or a question. Default: no.
    pub own_requests: bool,
    /// Further names of a person, by one of their names: names of keys, users of Slack and of the identity provider.
    /// Default: none.
    pub same_person: BTreeMap<String, Vec<String>>,
}

impl Approvals {
    /// Whether two names belong to one person. Case is ignored, because mail addresses are written in any case.
    #[must_use]
    pub fn is_same_person(&self, one: &str, other: &str) -> bool {
        let is_one_of = |(name, others): (&String, &Vec<String>), sought: &str| {
            name.eq_ignore_ascii_case(sought)
                || others
                    .iter()
                    .any(|other| other.eq_ignore_ascii_case(sought))
        };
        one.eq_ignore_ascii_case(other)
            || self
                .same_person
                .iter()
                .any(|person| is_one_of(person, one) && is_one_of(person, other))
    }

    pub(crate) fn read(fields: &Fields<'_>) -> Self {
        let keys = ApprovalsFields::FIELDS;
        let own_requests = fields.get(keys.own_requests).unwrap_or_default();
        let people = fields.get(keys.same_person).into_iter().flatten();
        let people = people.map(|(name, others)| {
            let others = others.into_iter().map(Text::into_string);
            (name.text.clone(), others.collect())
        });
        let approvals = Self {
            own_requests,
            same_person: people.collect(),
        };
        if let Some(name) = approvals.name_of_two() {
            fields.problem(
                keys.same_person,
                format!("`same_person`: `{name}` is named twice"),
                "list all names of a person in one entry",
            );
        }
        approvals
    }

    /// Returns a name that is listed more than once.
    fn name_of_two(&self) -> Option<&str> {
        let people = self.same_person.iter();
        let names = people.flat_map(|(name, others)| std::iter::once(name).chain(others));
        let mut names: Vec<&str> = names.map(String::as_str).collect();
        names.sort_unstable_by_key(|name| name.to_ascii_lowercase());
        let twice = names
            .windows(2)
            .find(|pair| pair[0].eq_ignore_ascii_case(pair[1]));
        twice.map(|pair| pair[0])
    }
}

#[cfg(test)]
mod tests {
    use super::Approvals;

    #[test]
    fn a_person_has_the_names_of_one_entry() {
        let entry = |name: &str, others: &[&str]| {
            let others = others.iter().map(|other| (*other).to_owned()).collect();
            (name.to_owned(), others)
        };
        let approvals = Approvals {
            same_person: [
                entry("ada", &["ada@example.com", "ada-ci"]),
                entry("bob", &["bob@example.com"]),
            ]
            .into(),
            ..Approvals::default()
        };
        for (one, other, is_same) in [
            ("ada", "ada", true),
            ("ada", "Ada@Example.com", true),
            ("ada-ci", "ada@example.com", true),
            ("ada", "bob", false),
            ("ada@example.com", "bob@example.com", false),
            ("ada", "ada2", false),
            ("eve", "eve", true),
            ("", "ada", false),
        ] {
            assert_eq!(
                approvals.is_same_person(one, other),
                is_same,
                "{one}, {other}"
            );
            assert_eq!(
                approvals.is_same_person(other, one),
                is_same,
                "{other}, {one}"
            );
        }
        assert_eq!(approvals.name_of_two(), None);
        let twice = Approvals {
            same_person: [entry("ada", &["x"]), entry("bob", &["X"])].into(),
            ..Approvals::default()
        };
        assert!(twice.name_of_two().is_some());
    }
}
