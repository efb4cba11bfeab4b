//! Kinds of stages: the keys of each, and what is refused.

use serde_json::json;
use tarsy_chain::{BranchSource, StageKind, Success, WaitStage};
use tarsy_model::Role;

use crate::support::{load, problems};

pub(crate) fn chain(stages: &str) -> String {
    let tools = "mcp_servers:\n  ssh: {connection_params: {command: ssh-mcp}}\n";
    format!("{tools}agent_chains:\n  c:\n    alert_types: [T]\n    stages:\n{stages}")
}

#[test]
fn every_kind_loads() {
    let text = chain(
        "      - {name: triage, kind: ask, prompt: 'Is it ${BAD}?', output_schema: {type: object}}
      - {name: look, kind: agent, agent: KubernetesAgent}
      - {name: uptime, kind: tool, call: ssh.run.now, args: {host: '{{ alert.data.host }}', tries: 3}}
      - {name: best, kind: function, call: rank, args: {items: [1, 2]}}
      - {name: gate, kind: wait, approval: {role: admin, expires: 30m}}
      - {name: rest, kind: wait, timer: 90s}
      - {name: heard, kind: wait, signal: deployed, expires: 1h}
",
    );
    let config = load(&text, &[]).unwrap();
    let stages = &config.chain_for("T").unwrap().stages;
    let actors: Vec<_> = stages.iter().map(|s| s.kind.actor_name()).collect();
    assert_eq!(
        actors,
        [
            "ask:model",
            "KubernetesAgent",
            "tool:ssh.run.now",
            "function:rank",
            "wait:approval",
            "wait:timer",
            "wait:signal"
        ]
    );
    let StageKind::Ask(ask) = &stages[0].kind else {
        panic!("{:?}", stages[0])
    };
    assert_eq!(
        ask.prompt, "Is it ${BAD}?",
        "what sessions keep holds nothing of the environment"
    );
    let StageKind::Tool(tool) = &stages[2].kind else {
        panic!("{:?}", stages[2])
    };
    assert_eq!(
        (tool.server.as_str(), tool.tool.as_str()),
        ("ssh", "run.now")
    );
    assert_eq!(
        json!(tool.args),
        json!({"host": "{{ alert.data.host }}", "tries": 3})
    );
    let waits = stages[4..].iter().map(|stage| match &stage.kind {
        StageKind::Wait(wait) => wait.clone(),
        kind => panic!("{kind:?}"),
    });
    assert_eq!(
        waits.collect::<Vec<_>>(),
        [
            WaitStage::Approval {
                role: Role::Admin,
                expires_ms: 1_800_000
            },
            WaitStage::Timer { after_ms: 90_000 },
            WaitStage::Signal {
                name: "deployed".into(),
                expires_ms: 3_600_000
            },
        ]
    );
}

#[test]
fn a_pool_is_a_name_or_is_made_of_the_alert() {
    let stages = |pool: &str| {
        format!(
            "      - {{name: a, agent: KubernetesAgent}}
      - {{name: b, agent: KubernetesAgent, needs: [a], pool: \"{pool}\"}}
"
        )
    };
    let made = "{{ alert.data.cluster | default('central') }}";
    let config = load(&chain(&stages(made)), &[]).unwrap();
    assert_eq!(config.chains["c"].stages[1].pool.as_str(), made);
    for (pool, expected) in [
        ("EU 1", "invalid pool name `EU 1`"),
        ("{{ alert.data.cluster", "invalid template of a pool"),
        ("{{ cluster }}", "unknown name `cluster`"),
        (
            "{{ stages.a.text }}",
            "a pool can't be made of the output of a stage",
        ),
    ] {
        let report = problems(&chain(&stages(pool)), &[]);
        assert!(report.contains(expected), "{pool}: {report}");
    }
}

#[test]
fn a_stage_has_the_keys_of_its_kind() {
    let report = problems(
        &chain(
            "      - {name: a, agent: KubernetesAgent, prompt: hi}
      - {name: b, kind: ask, agent: KubernetesAgent}
      - {name: c, kind: tool, call: ssh, prompt: x}
      - {name: d, kind: tool, call: shh.run, args: [a]}
      - {name: e, kind: think}
      - {name: f, kind: wait, pool: gpu}
      - {name: g, kind: wait, timer: 1m, signal: s, expires: 1m}
      - {name: h, kind: wait, approval: {role: viewer}}
      - {name: i, kind: wait, timer: 1m, expires: 1m}
      - {name: j, kind: wait, signal: 'a b', expires: 91d}
      - {name: k, kind: function}
",
        ),
        &[],
    );
    for expected in [
        "agents.yaml:7:51: a stage of kind `agent` has no `prompt`",
        "hint: `prompt` is for `kind: ask`; without `kind`, a stage is of kind `agent`",
        "a stage of kind `ask` has no `agent`",
        "stage 2 of chain `c`: `prompt` is missing",
        "`ssh` names no server and tool",
        "a stage of kind `tool` has no `prompt`",
        "unknown MCP server `shh`",
        "`args` must be a mapping",
        "`kind`: invalid value `think`",
        "a stage of kind `wait` has no `pool`",
        "stage 6 of chain `c`: it waits for nothing",
        "stage 7 of chain `c`: it waits for more than one thing",
        "`role`: invalid value `viewer`",
        "`expires` is missing",
        "`expires` stands beside `signal` alone",
        "invalid name of a signal `a b`",
        "is not between 1 s and 90 days",
        "stage 11 of chain `c`: `call` is missing",
    ] {
        assert!(report.contains(expected), "{expected}\n---\n{report}");
    }
}

#[test]
fn mistakes_in_templates_schemas_and_functions_are_named_with_a_hint() {
    let report = problems(
        &chain(
            "      - {name: a, kind: ask, prompt: 'Hi {{ alrt.type }}', output_schema: {type: objekt}}
      - {name: b, kind: ask, prompt: '{{ stages.c.text }}'}
      - {name: c, kind: tool, call: ssh.run, args: {host: '{{ alert.'}}
      - {name: d, kind: function, call: rnak, args: {items: '{{ stages.a.data.x }}'}}
      - {name: e, kind: function, call: rank, args: {item: 1}}
      - name: f
        agent: KubernetesAgent
        output_schema: claim
      - {name: g, agent: KubernetesAgent, output_schema: {type: objekt}}
      - {name: h, kind: ask, prompt: x, output_schema: claims}
",
        ),
        &[],
    );
    for expected in [
        "agents.yaml:7:38: stage `a`: `prompt` can't be used: unknown name `alrt`",
        "hint: templates read `alert` and `stages.<name>",
        "stage `a`: its `output_schema` can't be used",
        "stage `b`: `prompt` reads stage `c`, which it does not need",
        "hint: add `c` to `needs`",
        "stage `c`: `args.host` can't be used: syntax error",
        "stage `d`: unknown function `rnak`; functions are rank, pack, pick",
        "stage `e`: function `rank` needs the argument `items`",
        "agents.yaml:14:24: stage `f`: its `output_schema` can't be used: it must be `claims`, or a mapping",
        "hint: write `claims` (agents only), or a JSON Schema",
        "stage `g`: its `output_schema` can't be used: ",
        "stage `h`: its `output_schema` can't be used: it must be a mapping",
    ] {
        assert!(report.contains(expected), "{expected}\n---\n{report}");
    }
}

#[test]
fn branches_load() {
    let config = load(
        &chain(
            "      - {name: triage, kind: ask, prompt: '?'}
      - {name: evidence, agents: [{agent: KubernetesAgent, replicas: 2}, {agent: 'ConfigurableAgent:KubernetesAgent'}], success: any}
      - {name: hosts, kind: tool, call: ssh.run, each: stages.triage.data.hosts, needs: [triage]}
      - {name: votes, agent: KubernetesAgent, replicas: 3, needs: [triage]}
      - {name: end, agent: KubernetesAgent, needs: [evidence, hosts, votes]}
",
        ),
        &[],
    )
    .unwrap();
    let stages = &config.chain_for("T").unwrap().stages;
    let branches = |index: usize| stages[index].branches.as_ref().unwrap();
    assert_eq!(branches(1).fixed_count(), Some(3));
    assert_eq!(branches(1).success, Success::Any);
    assert_eq!(stages[1].agent(), Some("KubernetesAgent"));
    assert_eq!(branches(2).each(), Some("stages.triage.data.hosts"));
    assert_eq!(branches(3).fixed_count(), Some(3));
    let resolved = config.stage_plans().resolve(config.chain_for("T").unwrap());
    let BranchSource::Agents(agents) = &resolved.stages[1].branches.as_ref().unwrap().source else {
        panic!("{:?}", resolved.stages[1])
    };
    assert!(
        agents
            .iter()
            .all(|agent| agent.timeout_ms.is_some() && agent.iteration_strategy.is_some())
    );
}

#[test]
fn mistakes_of_branches_are_reported_with_their_lines() {
    let report = problems(
        &chain(
            "      - {name: a, agent: KubernetesAgent, agents: [{agent: KubernetesAgent}]}
      - {name: b, agents: [{agent: Nobody, replica: 2}]}
      - {name: c, agents: []}
      - {name: d, agent: KubernetesAgent, replicas: 33}
      - {name: e, agent: KubernetesAgent, replicas: 2, each: alert.data.hosts}
      - {name: f, agent: KubernetesAgent, success: any}
      - {name: g, kind: wait, timer: 1m, replicas: 2}
",
        ),
        &[],
    );
    for expected in [
        "a stage has `agent` or `agents`, not both",
        "unknown agent `Nobody`",
        "`replica`",
        "`agents` in stage 3 of chain `c` is empty",
        "`replicas`",
        "a stage has one of `replicas`, `each`",
        "`success` says when a stage with branches has settled, and there are none",
        "a stage of kind `wait` has no `replicas`",
    ] {
        assert!(report.contains(expected), "{expected}\n---\n{report}");
    }
    let report = problems(
        &chain(
            "      - {name: a, agent: KubernetesAgent}
      - {name: b, agents: [{agent: KubernetesAgent, replicas: 20}, {agent: KubernetesAgent, replicas: 13}], needs: []}
      - {name: c, agent: KubernetesAgent, each: stages.a.data.x, needs: [b]}
      - {name: d, agent: KubernetesAgent, each: 'stages.a.data.x ==', needs: [a]}
",
        ),
        &[],
    );
    for expected in [
        "stage `b`: it has 33 branches; 1 to 32 are possible",
        "stage `c`: the list of its branches reads stage `a`, which it does not need",
        "stage `d`: the list of its branches can't be used: syntax error",
        "stage `d`: no later stage needs it",
        "hint: add a stage with `needs: [d]` that reads what all branches found",
        "agents.yaml:8:27:",
    ] {
        assert!(report.contains(expected), "{expected}\n---\n{report}");
    }
}

#[test]
fn labels_are_given_by_the_agents_that_conclude() {
    let stages = "      - {name: collect, agent: KubernetesAgent, iteration_strategy: react-tools}
      - {name: report, agent: KubernetesAgent}
      - {name: worst, kind: function, call: rank, args: {items: [1]}}
";
    let text = chain(stages).replace(
        "    stages:",
        "    labels: [noise, watch-2, action]\n    stages:",
    );
    let config = load(&text, &[]).unwrap();
    let resolved = config.stage_plans().resolve(config.chain_for("T").unwrap());
    let actors: Vec<_> = resolved
        .stages
        .iter()
        .map(|s| s.kind.actor_name())
        .collect();
    let report = "labelling-agent:KubernetesAgent";
    assert_eq!(actors, ["KubernetesAgent", report, "function:rank"]);

    let report_of = |labels: &str, stages: &str| {
        problems(
            &chain(stages).replace("    stages:", &format!("    labels: {labels}\n    stages:")),
            &[],
        )
    };
    for (labels, expected) in [
        ("[Noise]", "`labels`: invalid label `Noise`"),
        ("['2nd']", "`labels`: invalid label `2nd`"),
        ("[noise, noise]", "`labels`: duplicate `noise`"),
        ("[]", "`labels` in chain `c` is empty"),
    ] {
        let report = report_of(labels, stages);
        assert!(report.contains(expected), "{expected}\n---\n{report}");
    }
    let many: Vec<String> = (0..21).map(|n| format!("l{n}")).collect();
    let report = report_of(&format!("[{}]", many.join(", ")), stages);
    assert!(report.contains("there are 21 `labels`"), "{report}");
    let report = report_of("[noise]", "      - {name: last, kind: ask, prompt: '?'}\n");
    assert!(
        report.contains("stage `last`: its answer is the session's, and only"),
        "{report}"
    );
}

#[test]
fn a_stage_verifies_one_of_an_agent_that_it_needs() {
    let providers =
        "llm_providers:\n  big: {type: openai, model: m}\ndefault_llm_provider: openai\n";
    let text = chain(
        "      - {name: analysis, agent: KubernetesAgent}
      - {name: verify, kind: verify, agent: KubernetesAgent, llm_provider: big}
      - {name: again, kind: verify, of: analysis, agent: KubernetesAgent, needs: [verify]}
",
    );
    let config = load(&format!("{providers}{text}"), &[]).unwrap();
    let chain_of = config.chain_for("T").unwrap();
    let verified: Vec<_> = chain_of
        .stages
        .iter()
        .map(|stage| stage.kind.as_agent().unwrap().verifies.as_deref())
        .collect();
    assert_eq!(verified, [None, Some("analysis"), Some("analysis")]);
    assert_eq!(chain_of.stages[1].kind.actor().kind(), "verify");
    let warnings: Vec<_> = config
        .warnings
        .iter()
        .map(|one| one.message.as_str())
        .collect();
    assert_eq!(
        warnings,
        ["stage `again` of chain `c` verifies with LLM provider `openai`, which made the claims"]
    );

    let report = problems(
        &chain(
            "      - {name: look, kind: function, call: rank, args: {items: [1]}}
      - {name: a, agent: KubernetesAgent, needs: []}
      - {name: b, agents: [{agent: KubernetesAgent, replicas: 2}], needs: []}
      - {name: c, kind: verify, agent: KubernetesAgent, needs: [a, b]}
      - {name: d, kind: verify, agent: KubernetesAgent, of: b, needs: [b]}
      - {name: e, kind: verify, agent: KubernetesAgent, needs: [look]}
      - {name: f, kind: verify, agent: KubernetesAgent, of: a, needs: [look], output_schema: claims}
      - {name: g, agent: KubernetesAgent, of: a}
",
        ),
        &[],
    );
    for expected in [
        "stage `c`: it verifies no stage: `of` is missing",
        "stage `d`: it verifies no stage: `b` has branches",
        "stage `e`: it verifies no stage: no agent concludes `look`",
        "stage `f`: it verifies no stage: it does not need `a`",
        "a stage of kind `verify` has no `output_schema`",
        "a stage of kind `agent` has no `of`",
    ] {
        assert!(report.contains(expected), "{expected}\n---\n{report}");
    }
}
