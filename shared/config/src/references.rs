//! Checks that every referenced name is defined.

mod dispatches;

use std::cell::RefCell;
use std::collections::BTreeMap;

use self::dispatches::Dispatches;
use crate::context::{Context, NamePosition};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameKind {
    Agent,
    Server,
    Provider,
    /// Names allowed in `fallbacks`: providers and lists of them.
    Fallback,
    Chain,
    AlertType,
}

impl NameKind {
    const fn words(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Server => "MCP server",
            Self::Provider => "LLM provider",
            Self::Fallback => "LLM provider or fallback list",
            Self::Chain => "chain",
            Self::AlertType => "alert type",
        }
    }
}

/// Definitions and mentions of names. They are collected while sections are read and compared once all are known, so
/// that the order of sections doesn't matter.
#[derive(Debug, Default)]
pub(crate) struct References {
    defined: RefCell<BTreeMap<(NameKind, String), NamePosition>>,
    mentioned: RefCell<Vec<(NameKind, String, NamePosition)>>,
    clashes: RefCell<Vec<(NameKind, String, NamePosition, NamePosition)>>,
    /// Which agents and stages may dispatch which agents.
    pub(crate) dispatches: Dispatches,
}

impl References {
    /// Records that `name` is defined here. A second definition replaces a built-in one; otherwise it is a clash.
    pub(crate) fn define(&self, kind: NameKind, name: &str, place: NamePosition) {
        let mut defined = self.defined.borrow_mut();
        match defined.get(&(kind, name.to_owned())) {
            Some(first) if !first.built_in || place.built_in => {
                self.clashes
                    .borrow_mut()
                    .push((kind, name.to_owned(), first.clone(), place))
            }
            _ => {
                defined.insert((kind, name.to_owned()), place);
            }
        }
    }

    /// Records that `name` is defined, unless it already was.
    pub(crate) fn define_unless_known(&self, kind: NameKind, name: &str, place: NamePosition) {
        self.defined
            .borrow_mut()
            .entry((kind, name.to_owned()))
            .or_insert(place);
    }

    /// Records that `name` is used here.
    pub(crate) fn mention(&self, kind: NameKind, name: &str, place: NamePosition) {
        self.mentioned
            .borrow_mut()
            .push((kind, name.to_owned(), place));
    }

    /// Reports names that are defined twice, and names that are used but not defined.
    pub(crate) fn report(&self, context: &Context<'_>) {
        self.dispatches.report(context);
        for (kind, name, first, second) in self.clashes.borrow().iter() {
            report_clash(context, *kind, name, first, second);
        }
        let defined = self.defined.borrow();
        for (kind, name, place) in self.mentioned.borrow().iter() {
            let kinds: &[NameKind] = match kind {
                NameKind::Fallback => &[NameKind::Fallback, NameKind::Provider],
                kind => std::slice::from_ref(kind),
            };
            let mut known = kinds.iter().map(|kind| (*kind, name.clone()));
            if known.any(|known| defined.contains_key(&known)) {
                continue;
            }
            let known: Vec<&str> = defined
                .iter()
                .filter(|((kind, _), _)| kinds.contains(kind))
                .map(|((_, name), place)| place.shown(name))
                .collect();
            context.report_name(
                place,
                format!("unknown {} `{}`", kind.words(), place.shown(name)),
                Some(crate::suggest::known(name, &known)),
            );
        }
    }
}

fn report_clash(
    context: &Context<'_>,
    kind: NameKind,
    name: &str,
    first: &NamePosition,
    second: &NamePosition,
) {
    let (what, name) = (kind.words(), second.shown(name));
    let (message, hint) = match kind {
        NameKind::AlertType => (
            format!("alert type `{name}` is in two chains"),
            format!(
                "it already belongs to {} on line {}",
                first.owner, first.at.line
            ),
        ),
        _ => (
            format!("{what} `{name}` is defined twice"),
            format!("the first definition is on line {}", first.at.line),
        ),
    };
    context.report_name(second, message, Some(hint));
}
