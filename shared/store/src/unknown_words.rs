//! Finds values in a session's rows that only a newer version knows.

use serde::Deserialize;
use serde_json::{Map, Value};
use tarsy_model::{chain_worker_offers, status_requirement, work_requirement};

#[derive(Deserialize)]
struct Chain {
    stages: Vec<Stage>,
}

#[derive(Deserialize)]
struct Stage {
    #[serde(default)]
    work: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
struct Attempt {
    status: String,
}

/// Returns the requirements of a session's stored chain and stages that this version does not offer.
pub(crate) fn unknown_words(chain: &str, stages: Option<&str>) -> Vec<String> {
    let chain: Option<Chain> = serde_json::from_str(chain).ok();
    let work = chain.into_iter().flat_map(|chain| chain.stages);
    let work =
        work.filter_map(|stage| stage.work?.keys().next().map(|work| work_requirement(work)));
    let attempts: Option<Vec<Attempt>> =
        stages.and_then(|stages| serde_json::from_str(stages).ok());
    let statuses = attempts.into_iter().flatten();
    let statuses = statuses.map(|attempt| status_requirement(&attempt.status));
    let known = chain_worker_offers();
    let mut unknown: Vec<String> = work.chain(statuses).collect();
    unknown.retain(|name| !known.contains(name));
    unknown.sort_unstable();
    unknown.dedup();
    unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_newer_version_are_named_and_broken_rows_are_not() {
        let chain = r#"{"stages": [{"work": {"ask": {}}}, {"work": {"vote": {}}}, {}]}"#;
        let stages = r#"[{"status": "waiting"}, {"status": "paused"}, {"status": "paused"}]"#;
        assert_eq!(
            unknown_words(chain, Some(stages)),
            ["plans:vote", "reads:paused"]
        );
        let broken = r#"{"stages": 7}"#;
        assert!(unknown_words(broken, Some("[{}]")).is_empty());
    }
}
