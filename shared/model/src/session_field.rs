//! What lists of sessions are filtered by.

use crate::{AnswerRating, SessionOutcome, SessionStatus};

/// One filter of session lists. Query parameters, the OpenAPI document, bulk actions and the options of
/// the CLI are made from this list; `tarsy_store::SessionFilter` says what each means in SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "`help` describes each")]
pub enum SessionField {
    Status,
    AgentType,
    AlertType,
    ChainId,
    Severity,
    Outcome,
    Agent,
    Source,
    Environment,
    Cluster,
    Acknowledged,
    Assignee,
    Rating,
    StartedFromUs,
    StartedBeforeUs,
    StartedFrom,
    StartedBefore,
    Search,
}

/// What the value of a filter looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// One or more of these words.
    Words(&'static [&'static str]),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Any text; it must be equal.
    Text,
    /// `true` or `false`.
    YesOrNo,
    /// RFC 3339.
    Time,
    /// Unix microseconds.
    Micros,
    /// Text that is searched for.
    Search,
}

impl SessionField {
    /// Every filter, in the order that documents list them.
    pub const ALL: [Self; 18] = [
        Self::Status,
        Self::AgentType,
        Self::AlertType,
        Self::ChainId,
        Self::Severity,
        Self::Outcome,
        Self::Agent,
        Self::Source,
        Self::Environment,
        Self::Cluster,
        Self::Acknowledged,
        Self::Assignee,
        Self::Rating,
        Self::StartedFromUs,
        Self::StartedBeforeUs,
        Self::StartedFrom,
        Self::StartedBefore,
        Self::Search,
    ];

    /// Its name in the API.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Status => "status",
            Self::AgentType => "agent_type",
            Self::AlertType => "alert_type",
            Self::ChainId => "chain_id",
            Self::Severity => "severity",
            Self::Outcome => "outcome",
            Self::Agent => "agent",
            Self::Source => "source",
            Self::Environment => "environment",
            Self::Cluster => "cluster",
            Self::Acknowledged => "acknowledged",
            Self::Assignee => "assignee",
            Self::Rating => "rating",
            Self::StartedFromUs => "start_date_us",
            Self::StartedBeforeUs => "end_date_us",
            Self::StartedFrom => "start_date",
            Self::StartedBefore => "end_date",
            Self::Search => "search",
        }
    }

    /// The filter of a name; `q` is `search` too.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "q" => Some(Self::Search),
            _ => Self::ALL.into_iter().find(|field| field.name() == name),
        }
    }

    /// Its option on the command line; `None`: another option says the same.
    #[must_use]
    pub const fn option(self) -> Option<&'static str> {
        match self {
            Self::AgentType | Self::StartedFromUs | Self::StartedBeforeUs => None,
            Self::AlertType => Some("alert-type"),
            Self::ChainId => Some("chain-id"),
            Self::StartedFrom => Some("since"),
            Self::StartedBefore => Some("until"),
            _ => Some(self.name()),
        }
    }

    /// What it leaves in the list.
    #[must_use]
    pub const fn help(self) -> &'static str {
        match self {
            Self::Status => "Any of these statuses; may be repeated",
            Self::AgentType => "`chain:<chain_id>`, or the name of an agent as in `agent`",
            Self::AlertType => "This alert type",
            Self::ChainId => "This chain",
            Self::Severity => "This severity",
            Self::Outcome => "How many stages made it: completed, partial or failed",
            Self::Agent => "A stage of the chain has this agent",
            Self::Source => "Kind of sender, e.g. api or alertmanager",
            Self::Environment => "The alert's `environment`, in its data or its labels",
            Self::Cluster => "The alert's `cluster`, in its data or its labels",
            Self::Acknowledged => "Whether somebody has acknowledged it",
            Self::Assignee => "Whose it is",
            Self::Rating => "Whether its answer is right, partly_right or wrong",
            Self::StartedFromUs => "Started then or later, Unix microseconds",
            Self::StartedBeforeUs => "Started before, Unix microseconds",
            Self::StartedFrom => "Started then or later, RFC 3339",
            Self::StartedBefore => "Started before, RFC 3339",
            Self::Search => "Text of 3 characters or more in alert, errors or analysis",
        }
    }

    /// What its value looks like.
    #[must_use]
    pub const fn kind(self) -> FieldKind {
        match self {
            Self::Status => FieldKind::Words(SessionStatus::WORDS),
            Self::Outcome => FieldKind::Word(SessionOutcome::WORDS),
            Self::Rating => FieldKind::Word(AnswerRating::WORDS),
            Self::Acknowledged => FieldKind::YesOrNo,
            Self::StartedFromUs | Self::StartedBeforeUs => FieldKind::Micros,
            Self::StartedFrom | Self::StartedBefore => FieldKind::Time,
            Self::Search => FieldKind::Search,
            _ => FieldKind::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SessionField;

    #[test]
    fn every_filter_is_found_by_its_name() {
        for field in SessionField::ALL {
            assert_eq!(SessionField::named(field.name()), Some(field));
        }
        assert_eq!(SessionField::named("q"), Some(SessionField::Search));
        assert_eq!(SessionField::named("page"), None);
    }
}
