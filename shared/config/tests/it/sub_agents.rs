//! Sub-agents of agents and stages.

use crate::stages::chain;
use crate::support::{load, problems};

#[test]
fn sub_agents_are_known_and_dispatch_no_agent_above_them() {
    let report = crate::support::problems(
        "
agents:
  lead: {sub_agents: [logs, Nobody]}
  logs: {sub_agents: [deep]}
  deep: {sub_agents: [lead]}
  plain: {sub_agents: [KubernetesAgent]}
",
        &[],
    );
    for expected in [
        "unknown agent `Nobody`",
        "`sub_agents` of `lead` names `logs`, which can dispatch `lead` again",
        "`sub_agents` of `deep` names `lead`",
    ] {
        assert!(report.contains(expected), "{expected} in {report}");
    }
    assert!(!report.contains("`plain`"), "{report}");
}

const DISPATCHING: &str = "
agents:
  lead: {sub_agents: [logs]}
  logs: {}
  deep: {sub_agents: [deeper]}
  deeper: {sub_agents: [deepest]}
  deepest: {}
  back: {sub_agents: [lead]}
";

#[test]
fn a_stage_lists_the_sub_agents_of_its_agent() {
    let text = format!(
        "{DISPATCHING}{}",
        chain(
            "      - {name: own, agent: lead}
      - {name: other, agent: lead, sub_agents: [ConfigurableAgent:deeper, logs]}
      - {name: none, agent: lead, sub_agents: []}
      - {name: both, agents: [{agent: lead}, {agent: logs}], sub_agents: [deepest], output_schema: claims}
      - {name: end, agent: logs}
"
        )
    );
    let config = load(&text, &[]).unwrap();
    let stages = &config.chain_for("T").unwrap().stages;
    let sub_agents: Vec<_> = stages
        .iter()
        .map(|stage| stage.kind.as_agent().unwrap().sub_agents.as_deref())
        .collect();
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(sub_agents[0], None);
    assert_eq!(sub_agents[1], Some(names(&["deeper", "logs"]).as_slice()));
    assert_eq!(sub_agents[2], Some([].as_slice()));
    assert_eq!(sub_agents[3], Some(names(&["deepest"]).as_slice()));
    let actors: Vec<_> = (0..2)
        .map(|branch| stages[3].for_branch(branch).kind.actor_name().into_owned())
        .collect();
    assert_eq!(
        actors,
        [
            "structured-agent:dispatching-agent:lead",
            "structured-agent:dispatching-agent:logs"
        ]
    );
}

#[test]
fn the_sub_agents_of_a_stage_are_known_and_can_be_dispatched() {
    let report = problems(
        &format!(
            "{DISPATCHING}{}",
            chain(
                "      - {name: a, agent: lead, sub_agents: [logs, Log]}
      - {name: b, agent: lead, sub_agents: [lead]}
      - {name: c, agents: [{agent: logs}, {agent: lead}], sub_agents: [back]}
      - {name: d, agent: lead, sub_agents: [deep]}
      - {name: e, kind: ask, prompt: '?', sub_agents: [logs]}
      - {name: f, agent: lead, iteration_strategy: react-final-analysis, sub_agents: [logs]}
      - {name: g, agent: lead, iteration_strategy: react-final-analysis, sub_agents: []}
"
            )
        ),
        &[],
    );
    for expected in [
        "agents.yaml:15:51: unknown agent `Log`",
        "agents.yaml:16:45: `sub_agents` of stage 2 of chain `c` names `lead`, which runs the stage itself",
        "names `back`, which can dispatch `logs` again",
        "names `deep`, below which sub-agents are nested too deep: deep > deeper > deepest",
        "hint: they may be nested 2 deep",
        "a stage of kind `ask` has no `sub_agents`",
        "a stage of strategy `react-final-analysis` calls no tools, so it dispatches nobody",
    ] {
        assert!(report.contains(expected), "{expected}\n---\n{report}");
    }
    assert_eq!(report.matches("agents.yaml:").count(), 6, "{report}");
}
