//! Filters of session lists.

use crate::{AnswerRating, SessionOutcome, SessionStatus, SessionVerdict};

/// One filter of session lists. The query parameters, the OpenAPI document, bulk actions and CLI options are generated
/// from it. `tarsy_store::history::SessionFilter` maps each filter to SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "`help` describes each")]
pub enum SessionField {
    Status,
    Progress,
    AgentType,
    AlertType,
    ChainId,
    Severity,
    Outcome,
    Verdict,
    Label,
    Agent,
    Source,
    Environment,
    Cluster,
    Namespace,
    Cost,
    Acknowledged,
    Reviewed,
    Assignee,
    Rating,
    Incident,
    Lead,
    FollowUps,
    StartedFromUs,
    StartedBeforeUs,
    StartedFrom,
    StartedBefore,
    EndedFrom,
    Search,
}

/// Form of a filter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// One or more of these words.
    Words(&'static [&'static str]),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Text, compared for equality.
    Text,
    /// `true` or `false`.
    YesOrNo,
    /// RFC 3339 time.
    Time,
    /// Unix microseconds.
    Micros,
    /// A number with `>`, `>=`, `<` or `<=` before it.
    Comparison,
    /// Search text.
    Search,
}

impl SessionField {
    /// Every filter, in the order that documents list them.
    pub const ALL: [Self; 28] = [
        Self::Status,
        Self::Progress,
        Self::AgentType,
        Self::AlertType,
        Self::ChainId,
        Self::Severity,
        Self::Outcome,
        Self::Verdict,
        Self::Label,
        Self::Agent,
        Self::Source,
        Self::Environment,
        Self::Cluster,
        Self::Namespace,
        Self::Cost,
        Self::Acknowledged,
        Self::Reviewed,
        Self::Assignee,
        Self::Rating,
        Self::Incident,
        Self::Lead,
        Self::FollowUps,
        Self::StartedFromUs,
        Self::StartedBeforeUs,
        Self::StartedFrom,
        Self::StartedBefore,
        Self::EndedFrom,
        Self::Search,
    ];

    /// Returns its name, option, kind and help. A new filter needs only this, its variant, and its place in
    /// [`Self::ALL`].
    const fn spec(self) -> Spec {
        use FieldKind::{Comparison, Micros, Search, Text, Time, Word, Words, YesOrNo};
        let (name, option, kind, help) = match self {
            Self::Status => (
                "status",
                Some("status"),
                Words(SessionStatus::WORDS),
                "Status of the session",
            ),
            Self::Progress => (
                "progress",
                Some("progress"),
                Word(&["needs_decision", "stuck", "queued", "in_progress"]),
                "Progress of a session that has not ended: needs_decision (a person must decide), stuck (no worker, a paused queue, a failing provider or a retry), queued (waits for a free worker) or in_progress",
            ),
            Self::AgentType => (
                "agent_type",
                None,
                Text,
                "`chain:<chain_id>`, or an agent's name as in `agent`; `kubernetes` is the built-in `KubernetesAgent`",
            ),
            Self::AlertType => ("alert_type", Some("alert-type"), Text, "Alert type"),
            Self::ChainId => ("chain_id", Some("chain-id"), Text, "Chain"),
            Self::Severity => (
                "severity",
                Some("severity"),
                Text,
                "Severity, or a comparison such as `>=high`; the order is critical, high, warning, low and info, and monitoring systems' names for these are understood",
            ),
            Self::Outcome => (
                "outcome",
                Some("outcome"),
                Word(SessionOutcome::WORDS),
                "Outcome over all stages: completed, partial or failed",
            ),
            Self::Verdict => (
                "verdict",
                Some("verdict"),
                Word(SessionVerdict::WORDS),
                "Verdict of checking the answer: supported, partly_supported, unsupported, not_investigated, inconclusive, no_fault or not_checked",
            ),
            Self::Label => (
                "label",
                Some("label"),
                Text,
                "Label that the concluding agent chose from those of its chain, e.g. `noise`",
            ),
            Self::Agent => (
                "agent",
                Some("agent"),
                Text,
                "Agent of any stage of the chain",
            ),
            Self::Source => (
                "source",
                Some("source"),
                Text,
                "Kind of sender, e.g. api or alertmanager",
            ),
            Self::Environment => (
                "environment",
                Some("environment"),
                Text,
                "The alert's `environment`, in its data or labels",
            ),
            Self::Cluster => (
                "cluster",
                Some("cluster"),
                Text,
                "The alert's `cluster`, in its data or labels",
            ),
            Self::Namespace => (
                "namespace",
                Some("namespace"),
                Text,
                "The alert's `namespace`, in its data or labels",
            ),
            Self::Cost => (
                "cost",
                Some("cost"),
                Comparison,
                "Estimated cost of an ended session in dollars, e.g. `>1` or `<=0.5`",
            ),
            Self::Acknowledged => (
                "acknowledged",
                Some("acknowledged"),
                YesOrNo,
                "Whether the session has been acknowledged",
            ),
            Self::Reviewed => (
                "reviewed",
                Some("reviewed"),
                YesOrNo,
                "Whether the session has been reviewed",
            ),
            Self::Assignee => ("assignee", Some("assignee"), Text, "Assignee"),
            Self::Rating => (
                "rating",
                Some("rating"),
                Word(AnswerRating::WORDS),
                "Rating of the answer: right, partly_right or wrong",
            ),
            Self::Incident => (
                "incident",
                Some("incident"),
                Text,
                "Id of the incident that the session belongs to",
            ),
            Self::Lead => (
                "lead",
                Some("lead"),
                YesOrNo,
                "Whether the session is the first one of its incident, or belongs to no incident",
            ),
            Self::FollowUps => (
                "follow_ups",
                Some("follow-ups"),
                Word(&["hide", "show", "only"]),
                "Sessions of follow-up questions: hide (default), show or only",
            ),
            Self::StartedFromUs => (
                "start_date_us",
                None,
                Micros,
                "Started at or after, Unix microseconds",
            ),
            Self::StartedBeforeUs => (
                "end_date_us",
                None,
                Micros,
                "Started before, Unix microseconds",
            ),
            Self::StartedFrom => (
                "start_date",
                Some("since"),
                Time,
                "Started at or after, RFC 3339",
            ),
            Self::StartedBefore => ("end_date", Some("until"), Time, "Started before, RFC 3339"),
            Self::EndedFrom => (
                "ended_since",
                Some("ended-since"),
                Time,
                "Ended at or after, RFC 3339",
            ),
            Self::Search => (
                "search",
                Some("search"),
                Search,
                "Words and \"quoted phrases\" in alert, errors or analysis, at least 3 characters in total; also filters by name, e.g. `cluster:eu`",
            ),
        };
        Spec {
            name,
            option,
            kind,
            help,
        }
    }

    /// Name in the API.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// Option on the command line; `None`: another option does the same.
    #[must_use]
    pub const fn option(self) -> Option<&'static str> {
        self.spec().option
    }

    /// Description in the OpenAPI document and in `--help`.
    #[must_use]
    pub const fn help(self) -> &'static str {
        self.spec().help
    }

    /// Form of the value.
    #[must_use]
    pub const fn kind(self) -> FieldKind {
        self.spec().kind
    }

    /// Whether the filter may be repeated. Sessions that match any of the values are listed.
    #[must_use]
    pub fn takes_several(self) -> bool {
        match self.kind() {
            FieldKind::Words(_) | FieldKind::Text => true,
            FieldKind::Word(_) => self != Self::FollowUps,
            _ => false,
        }
    }

    /// Returns the filter with this name; `q` is an alias of `search`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "q" => Some(Self::Search),
            _ => Self::ALL.into_iter().find(|field| field.name() == name),
        }
    }
}

struct Spec {
    name: &'static str,
    option: Option<&'static str>,
    kind: FieldKind,
    help: &'static str,
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
