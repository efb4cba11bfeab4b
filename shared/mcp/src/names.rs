//! Resolves tool names that a model writes.

use crate::error::Refusal;
use crate::tool::ToolInfo;

const SUGGESTIONS: usize = 3;
const SIMILAR: f64 = 0.75;

/// Returns the one tool that `name` means among an agent's tools.
pub(crate) fn resolve(name: &str, tools: &[ToolInfo]) -> Result<ToolInfo, Refusal> {
    let name = name
        .trim()
        .trim_matches(|c| c == '`' || c == '"' || c == '\'');
    let matching = |wanted: fn(&ToolInfo) -> String| -> Vec<usize> {
        let found = tools
            .iter()
            .enumerate()
            .filter(|(_, tool)| wanted(tool) == name);
        found.map(|(at, _)| at).collect()
    };
    for hits in [
        matching(ToolInfo::full_name),
        matching(ToolInfo::native_name),
        matching(|tool| tool.name.clone()),
    ] {
        match hits[..] {
            [] => {}
            [at] => return Ok(tools[at].clone()),
            _ => {
                let candidates = hits.iter().map(|at| tools[*at].full_name()).collect();
                return Err(Refusal::AmbiguousTool {
                    name: name.to_owned(),
                    candidates,
                });
            }
        }
    }
    let nearest = nearest(name, tools.iter().map(ToolInfo::full_name));
    Err(Refusal::UnknownTool {
        name: name.to_owned(),
        nearest,
    })
}

/// Returns the names most similar to `name`, best first.
pub(crate) fn nearest(name: &str, known: impl Iterator<Item = String>) -> Vec<String> {
    let bare = |name: &str| {
        name.rsplit_once('.')
            .map_or(name, |(_, tool)| tool)
            .to_lowercase()
    };
    let wanted = bare(name);
    let mut scored: Vec<(f64, String)> = known
        .map(|known| (strsim::jaro_winkler(&wanted, &bare(&known)), known))
        .filter(|(score, _)| *score >= SIMILAR)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0));
    scored
        .into_iter()
        .take(SUGGESTIONS)
        .map(|(_, known)| known)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::ToolPin;
    use serde_json::Value;
    use tarsy_model::EffectClass;

    fn tool(server: &str, name: &str) -> ToolInfo {
        ToolInfo {
            server: server.into(),
            name: name.into(),
            description: String::new(),
            input_schema: Value::Null,
            effect: EffectClass::ReadOnly,
            pin: ToolPin::new(name, "", &Value::Null),
        }
    }

    fn tools() -> Vec<ToolInfo> {
        vec![
            tool("k8s", "pods_list"),
            tool("k8s", "pods_log"),
            tool("logs", "pods_log"),
        ]
    }

    #[test]
    fn every_spelling_of_a_name_leads_to_its_tool() {
        for name in [
            "k8s.pods_list",
            "k8s__pods_list",
            "pods_list",
            " `k8s.pods_list` ",
        ] {
            assert_eq!(
                resolve(name, &tools()).map(|t| t.full_name()).as_deref(),
                Ok("k8s.pods_list")
            );
        }
    }

    #[test]
    fn a_bare_name_of_two_servers_is_ambiguous() {
        assert!(
            matches!(resolve("pods_log", &tools()), Err(Refusal::AmbiguousTool { candidates, .. }) if candidates.len() == 2)
        );
    }

    #[test]
    fn an_invented_name_gets_the_nearest() {
        let refusal = resolve("k8s.pod_list", &tools());
        assert!(
            matches!(refusal, Err(Refusal::UnknownTool { nearest, .. }) if nearest[0] == "k8s.pods_list")
        );
    }
}
