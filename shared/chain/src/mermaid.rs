//! Renders a chain as a Mermaid flowchart.

use std::fmt::Write as _;

use crate::{BranchSource, ChainDefinition, Graph, Join, Mistake, StageDefinition, Success};

/// Renders a chain: a node per stage with its agent and the agents that it may dispatch, an edge per need, conditions
/// on the edges.
///
/// # Errors
///
/// The mistakes of a definition that can't be run.
pub fn mermaid(chain: &ChainDefinition) -> Result<String, Vec<Mistake>> {
    let graph = Graph::new(chain)?;
    let mut text = String::from("flowchart TD\n");
    for index in 0..graph.len() {
        let stage = graph.stage(index);
        let join = match (graph.join(index), graph.needs(index).len()) {
            (Join::Any, 2..) => "<br/>when any is done",
            _ => "",
        };
        let label = format!(
            "{}<br/>{}{}{join}",
            quoted(&stage.name),
            quoted(&actors(stage)),
            dispatched(stage),
        );
        // Writing to a string cannot fail.
        let _ = writeln!(text, "    s{index}[\"{label}\"]");
    }
    for index in 0..graph.len() {
        let condition = graph.stage(index).when.as_deref();
        let condition =
            condition.map_or_else(String::new, |when| format!("|\"{}\"|", quoted(when)));
        let needs = graph.needs(index);
        if needs.is_empty() && !condition.is_empty() {
            let _ = writeln!(text, "    alert([alert]) -->{condition} s{index}");
        }
        for need in needs {
            let _ = writeln!(text, "    s{need} -->{condition} s{index}");
        }
    }
    Ok(text)
}

/// Returns the actors of a stage, by branch.
fn actors(stage: &StageDefinition) -> String {
    let actor = stage.kind.shown_actor();
    let Some(branches) = &stage.branches else {
        return actor.into_owned();
    };
    let first = match branches.success {
        Success::All => "",
        Success::Any => ", first that completes",
    };
    match &branches.source {
        BranchSource::Replicas(count) => format!("{actor} x {count}{first}"),
        BranchSource::Each(list) => format!("{actor} for each of {list}{first}"),
        BranchSource::Agents(agents) => {
            let names = agents.iter().map(|agent| match agent.replicas {
                1 => agent.agent.clone(),
                count => format!("{} x {count}", agent.agent),
            });
            let names: Vec<String> = names.collect();
            format!("{}{first}", names.join(" | "))
        }
    }
}

/// Returns the line with the agents that the stage may dispatch.
fn dispatched(stage: &StageDefinition) -> String {
    let kind = stage.kind.as_agent();
    match kind.and_then(|kind| kind.sub_agents.as_deref()) {
        None => String::new(),
        Some([]) => "<br/>dispatches nobody".to_owned(),
        Some(names) => format!("<br/>may dispatch {}", quoted(&names.join(", "))),
    }
}

/// Escapes text for a quoted label.
fn quoted(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StageKind;
    use crate::graph::tests::chain;

    #[test]
    fn a_stage_shows_whom_it_may_dispatch() {
        let mut chain = chain(&[("lead", "-", ""), ("alone", "lead", "")]);
        for (stage, names) in chain.stages.iter_mut().zip([&["logs", "metrics"][..], &[]]) {
            let StageKind::Agent(kind) = &mut stage.kind else {
                panic!("an agent's: {stage:?}");
            };
            kind.sub_agents = Some(names.iter().map(ToString::to_string).collect());
        }
        let graph = mermaid(&chain).expect("no mistake");
        assert!(
            graph.contains(r#"s0["lead<br/>agent<br/>may dispatch logs, metrics"]"#),
            "{graph}"
        );
        assert!(
            graph.contains(r#"s1["alone<br/>agent<br/>dispatches nobody"]"#),
            "{graph}"
        );
    }

    #[test]
    fn a_graph_is_drawn_with_its_conditions() {
        let mut chain = chain(&[
            ("triage", "-", ""),
            ("logs", "triage", ""),
            ("deep", "triage", "stages.triage.status == \"completed\""),
            ("report", "logs deep", ""),
        ]);
        chain.stages[3].join = Join::Any;
        assert_eq!(
            mermaid(&chain).expect("no mistake"),
            r#"flowchart TD
    s0["triage<br/>agent"]
    s1["logs<br/>agent"]
    s2["deep<br/>agent"]
    s3["report<br/>agent<br/>when any is done"]
    s0 --> s1
    s0 -->|"stages.triage.status == &quot;completed&quot;"| s2
    s1 --> s3
    s2 --> s3
"#
        );
    }
}
