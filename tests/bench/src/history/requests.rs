//! Requests to the history API, by kind.

use super::known_values::Known;

/// Requests of one kind.
pub(super) struct Kind {
    pub(super) p50: &'static str,
    pub(super) p95: &'static str,
    /// Goal for the 95th percentile of latency, in ms.
    pub(super) goal: Option<f64>,
    /// Path of the `n`th request.
    pub(super) path: fn(usize, &Known) -> String,
}

const GOAL: Option<f64> = Some(50.0);
const SEARCH_GOAL: Option<f64> = Some(300.0);

const LIST: &str = "/api/v1/history/sessions";
const SEARCH: &str = "/api/v1/history/search";

/// Alert types, from a third of all sessions to few; see the seed.
const ALERT_TYPES: [&str; 4] = [
    "KubePodCrashLooping",
    "HighMemory",
    "JobFailed",
    "BackupMissing",
];
const SEVERITIES: [&str; 4] = ["critical", "high", "warning", "info"];
const STATUSES: [&str; 5] = ["completed", "failed", "cancelled", "in_progress", "pending"];
const OUTCOMES: [&str; 3] = ["completed", "partial", "failed"];
/// Search texts. The first occurs in every document, the last in 1 of 100.
const COMMON: [&str; 5] = [
    "does not become ready",
    "prod-3",
    "Overloaded",
    "PVCPending",
    "team-17",
];
/// Search texts with frequent trigrams that few or no documents contain.
const FREQUENT_TRIGRAMS: [&str; 5] = [
    "10.0.24.",
    "pool timeout after 30 s`, 88",
    "nowhere at all",
    "ready in the pod",
    "team-17 in team-17",
];

impl Kind {
    pub(super) const ALL: &'static [Self] = &[
        Self {
            p50: "history_list_p50",
            p95: "history_list_p95",
            goal: GOAL,
            path: |n, _| format!("{LIST}?page_size={}&page={}", 20 + n % 80, 1 + n % 5),
        },
        Self {
            p50: "history_depth_p50",
            p95: "history_depth_p95",
            goal: GOAL,
            path: |n, known| {
                let at = known.at(n * 61);
                format!("{LIST}?page_size=50&cursor={at}_{}", uuid::Uuid::max())
            },
        },
        Self {
            p50: "history_filter_p50",
            p95: "history_filter_p95",
            goal: GOAL,
            path: |n, known| format!("{LIST}?page_size=50&{}", filters(n, known)),
        },
        Self {
            p50: "history_sort_p50",
            p95: "history_sort_p95",
            goal: GOAL,
            path: |n, known| {
                let by = ["duration_ms", "completed_at_us"][n % 2];
                let order = ["desc", "asc"][n / 2 % 2];
                let filters = filters(n / 4, known);
                format!("{LIST}?page_size=50&sort_by={by}&sort_order={order}&{filters}")
            },
        },
        Self {
            p50: "history_detail_p50",
            p95: "history_detail_p95",
            goal: GOAL,
            path: |n, known| format!("{LIST}/{}", known.id(n)),
        },
        Self {
            p50: "history_summary_p50",
            p95: "history_summary_p95",
            goal: GOAL,
            path: |n, known| format!("{LIST}/{}/summary", known.id(n)),
        },
        Self {
            p50: "history_search_rare_p50",
            p95: "history_search_rare_p95",
            goal: SEARCH_GOAL,
            path: |n, known| {
                let pod = &known.pods[n * 3 % known.pods.len()];
                format!("{SEARCH}?q={pod}")
            },
        },
        Self {
            p50: "history_search_common_p50",
            p95: "history_search_common_p95",
            goal: SEARCH_GOAL,
            path: |n, _| search(COMMON[n % COMMON.len()]),
        },
        Self {
            p50: "history_search_trigrams_p50",
            p95: "history_search_trigrams_p95",
            goal: SEARCH_GOAL,
            path: |n, _| search(FREQUENT_TRIGRAMS[n % FREQUENT_TRIGRAMS.len()]),
        },
        Self {
            p50: "history_search_filter_p50",
            p95: "history_search_filter_p95",
            goal: SEARCH_GOAL,
            path: |n, known| {
                let text = match n % 3 {
                    0 => known.pods[n * 3 % known.pods.len()].as_str(),
                    1 => COMMON[n / 3 % COMMON.len()],
                    _ => FREQUENT_TRIGRAMS[n / 3 % FREQUENT_TRIGRAMS.len()],
                };
                format!("{}&{}", search(text), filters(n / 15, known))
            },
        },
        Self {
            p50: "history_metrics_p50",
            p95: "history_metrics_p95",
            goal: GOAL,
            path: |n, _| format!("/api/v1/history/metrics?hours={}", [1, 24, 168, 720][n % 4]),
        },
        Self {
            p50: "history_facets_p50",
            p95: "history_facets_p95",
            goal: GOAL,
            path: |n, known| match n % 4 {
                0 => "/api/v1/history/facets".to_owned(),
                _ => format!("/api/v1/history/facets?{}", filters(n / 4, known)),
            },
        },
        Self {
            p50: "history_others_p50",
            p95: "history_others_p95",
            goal: GOAL,
            path: |n, _| {
                let paths = [
                    "/api/v1/history/filter-options",
                    "/api/v1/history/active-sessions",
                    "/health",
                ];
                paths[n % 3].to_owned()
            },
        },
    ];
}

fn search(text: &str) -> String {
    format!("{SEARCH}?q={}", text.replace(' ', "%20"))
}

/// Returns combinations of one to three filters, in turn.
fn filters(n: usize, known: &Known) -> String {
    let one = |filter: usize, n: usize| match filter % 6 {
        0 => format!("alert_type={}", ALERT_TYPES[n % ALERT_TYPES.len()]),
        1 => format!("status={}", STATUSES[n % STATUSES.len()]),
        2 => format!("severity={}", SEVERITIES[n % SEVERITIES.len()]),
        3 => format!("outcome={}", OUTCOMES[n % OUTCOMES.len()]),
        4 => format!("agent_type=chain:chain-{}", n % 20),
        _ => {
            let (from, days) = (n * 13 % 90, 1 + n % 9);
            let (from, until) = (known.at(from), known.at(from + days));
            format!("start_date_us={from}&end_date_us={until}")
        }
    };
    let (first, variant) = (n % 6, n / 6);
    match variant % 3 {
        0 => one(first, variant),
        1 => format!(
            "{}&{}",
            one(first, variant),
            one(first + 1 + variant % 5, variant / 3)
        ),
        _ => format!(
            "{}&{}&{}",
            one(first, variant),
            one(first + 1 + variant % 2, variant / 3),
            one(first + 3 + variant % 2, variant / 5)
        ),
    }
}
