//! A chain with a stage of every kind. Records which of them are in progress when a process is killed.

use std::collections::BTreeMap;

use serde_json::json;
use tarsy_tests::{Fleet, Role, Rows};
use uuid::Uuid;

use super::Swept;

/// Alert type of that chain.
pub(super) const ALERT: &str = "EveryKind";

/// Prefixes of points of stages and of their waits.
const POINTS: [&str; 6] = [
    "stage.",
    "record.",
    "chain.start.",
    "chain.wait.",
    "chain.announce.",
    "chain.children.",
];

/// A kind of stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Agent,
    Ask,
    Tool,
    Function,
    Wait,
    Child,
}

impl Kind {
    const ALL: [Self; 6] = [
        Self::Agent,
        Self::Ask,
        Self::Tool,
        Self::Function,
        Self::Wait,
        Self::Child,
    ];
    /// Kinds whose stages a worker runs.
    const RUN: [Self; 5] = [
        Self::Agent,
        Self::Ask,
        Self::Tool,
        Self::Function,
        Self::Child,
    ];

    /// Returns the kind of a row by its `agent`.
    fn parse(actor: &str) -> Self {
        match actor.split_once(':').map(|(kind, _)| kind) {
            Some("ask") => Self::Ask,
            Some("tool") => Self::Tool,
            Some("function") => Self::Function,
            Some("wait") => Self::Wait,
            Some("sub-agent") => Self::Child,
            _ => Self::Agent,
        }
    }
}

/// Whether the point is swept with this chain.
pub(super) fn passes(name: &str, role: Role) -> bool {
    let of_stages = POINTS.iter().any(|prefix| name.starts_with(prefix));
    // Chain workers start the first stage of any chain.
    of_stages && !(name.starts_with("chain.start.") && role == Role::Chain)
}

/// Returns the kinds of stages that run, are pending, or wait for a person.
pub(super) async fn under_way(rows: &Rows) -> Vec<Kind> {
    let actors: Vec<String> = sqlx::query_scalar(
        "select agent from stage_executions e where status in ('pending', 'active')
             or status = 'waiting' and not exists (select from child_sessions where parent_execution_id = execution_id)",
    )
    .fetch_all(rows.pool())
    .await
    .unwrap();
    actors.iter().map(|actor| Kind::parse(actor)).collect()
}

/// Lets the model answer the helper if the lead waits for it. It answers later chains of the fleet at once.
pub(super) async fn release_helper(fleet: &Fleet) {
    let waiting = "select count(*) from stage_executions where status = 'waiting'
                   and execution_id in (select parent_execution_id from child_sessions)";
    if fleet.rows.count(waiting).await > 0 {
        fleet.llm.release();
    }
}

/// Number of times an open wait is polled before it is approved while no process has been killed yet. A process that dies right after
/// the commit of a wait is thus observed while the wait is still open.
const POLLS_BEFORE_APPROVAL: usize = 5;

/// Approves the open wait of a session, if there is one. `polled` counts how often it was seen open before.
pub(super) async fn approve(
    rows: &Rows,
    url: &str,
    session: Uuid,
    killed: bool,
    polled: &mut usize,
) {
    let open = "select wait_id from waits where session_id = $1 and sort = 'approval' and decision is null";
    let open: Option<Uuid> = sqlx::query_scalar(open)
        .bind(session)
        .fetch_optional(rows.pool())
        .await
        .unwrap();
    let Some(wait) = open else { return };
    if !killed && *polled < POLLS_BEFORE_APPROVAL {
        *polled += 1;
        return;
    }
    let request = reqwest::Client::new().post(format!("{url}/api/v1/approvals/{wait}"));
    let request = request.json(&json!({"decision": "approve", "reason": "a test"}));
    // Ignores the response: a wait decided at this moment is refused.
    let _ = request.send().await;
}

/// Asserts that each kind of stage was in progress at some kill, and at some kill around its end and its calls. Returns
/// the kills by kind.
pub(super) fn assert_every_kind_was_hit(swept: &BTreeMap<String, Swept>) -> BTreeMap<Kind, usize> {
    let at = |points: &[&str]| {
        let mut kinds = BTreeMap::<Kind, usize>::new();
        let of_points = swept
            .iter()
            .filter(|(name, _)| points.iter().any(|point| name.starts_with(point)));
        for (kind, kills) in of_points.flat_map(|(_, swept)| &swept.kinds) {
            *kinds.entry(*kind).or_default() += kills;
        }
        kinds
    };
    let all = at(&[""]);
    let missed = |found: &BTreeMap<Kind, usize>, expected: &[Kind]| -> Vec<Kind> {
        let missed = expected.iter().filter(|kind| !found.contains_key(*kind));
        missed.copied().collect()
    };
    assert_eq!(missed(&all, &Kind::ALL), [], "kinds that no kill met");
    for (points, kinds) in [
        (&["stage.finish."][..], &Kind::RUN[..]),
        (
            &["record.begin_llm.", "record.finish_llm."],
            &[Kind::Agent, Kind::Ask, Kind::Child],
        ),
        (
            &["record.begin_mcp.", "record.finish_mcp."],
            &[Kind::Agent, Kind::Tool],
        ),
        (&["chain.wait."], &[Kind::Wait]),
    ] {
        assert_eq!(
            missed(&at(points), kinds),
            [],
            "kinds that no kill met at {points:?}"
        );
    }
    all
}
