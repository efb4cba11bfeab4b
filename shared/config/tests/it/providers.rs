//! Which providers a stage asks, with which options, and what each provider needs.

use tarsy_config::Config;
use tarsy_model::ReasoningEffort;

use crate::support::{load, problems};

const KEYS: [(&str, &str); 4] = [
    ("GEMINI_API_KEY", "k"),
    ("OPENAI_API_KEY", "k"),
    ("XAI_API_KEY", "k"),
    ("ANTHROPIC_API_KEY", "k"),
];

#[test]
fn fallbacks_name_lists_and_a_stage_wins_over_agent_and_provider() {
    let text = "
fallback_lists:
  careful: [anthropic, fast]
  fast: [xai, openai]
llm_providers:
  gemini: {model: m, fallbacks: [fast]}
agents: {a: {fallbacks: [careful], temperature: 0.5, thinking: false}, b: {}}
agent_chains:
  c:
    alert_types: [T]
    llm_provider: gemini
    stages:
      - {name: s1, agent: a, fallbacks: [xai, careful], reasoning_effort: low}
      - {name: s2, agent: a}
      - {name: s3, agent: b}
      - {name: s4, agent: a, fallbacks: []}
      - {name: s5, kind: ask, prompt: Why?, fallbacks: [openai], temperature: 0}
";
    let config = load(text, &KEYS).unwrap();
    let chain = config.chain_for("T").unwrap();
    let used = chain.stages.iter().map(|stage| {
        let providers = config.provider_for(stage, chain);
        let names: Vec<&str> = providers.iter().map(|p| p.name.as_str()).collect();
        names.join(" ")
    });
    assert_eq!(
        used.collect::<Vec<_>>(),
        [
            "gemini xai anthropic openai",
            "gemini anthropic xai openai",
            "gemini xai openai",
            "gemini",
            "gemini openai",
        ]
    );
    let agent = config.agent("a");
    let options = |at: usize| {
        let options = chain.stages[at].kind.model_options();
        let options = Config::model_options(options, agent);
        (
            options.temperature,
            options.reasoning_effort,
            options.thinking,
        )
    };
    assert_eq!(
        options(0),
        (Some(0.5), Some(ReasoningEffort::Low), Some(false))
    );
    assert_eq!(options(1), (Some(0.5), None, Some(false)));
    assert_eq!(options(4).0, Some(0.0));
}

#[test]
fn fallback_lists_that_lead_nowhere_or_back_are_refused_with_their_place() {
    let report = problems(
        "fallback_lists:\n  fast: [gemni]\n  a: [b]\n  b: [openai, a]\n  xai: [openai]\nllm_providers:\n  gemini: {model: m, fallbacks: [fst]}\n",
        &KEYS,
    );
    for (line, text) in [
        (2, "unknown LLM provider or fallback list `gemni`"),
        (3, "fallback lists name each other: a -> b -> a"),
        (5, "`xai` is an LLM provider and a fallback list"),
        (7, "unknown LLM provider or fallback list `fst`"),
    ] {
        let place = format!("agents.yaml:{line}:");
        let is_there = |one: &str| one.contains(&place) && one.contains(text);
        assert!(report.lines().any(is_there), "{place} {text} in\n{report}");
    }
}

#[test]
fn a_server_of_ones_own_with_openais_format_needs_no_key() {
    let text = "
llm_providers:
  own: {type: openai, model: m, base_url: 'http://gpu:8000/v1'}
  gateway: {type: openai, model: m, base_url: 'http://gw/v1', api_key_env: GATEWAY_KEY}
  public: {type: openai, model: m}
";
    let config = load(text, &[]).unwrap();
    let available = |name: &str| config.provider(name).unwrap().available;
    assert_eq!(
        ["own", "gateway", "public"].map(available),
        [true, false, false],
        "a key that is named is meant to be sent"
    );
}

#[test]
fn clouds_need_their_place_and_credentials() {
    let text = "
llm_providers:
  azure: {type: azure_openai, model: m, base_url: 'https://r.openai.azure.com'}
  bedrock: {type: bedrock, model: m}
  vertex: {type: vertex, model: gemini-x}
";
    let usable = |env: &[(&str, &str)]| {
        let config = load(text, env).unwrap();
        let usable = ["azure", "bedrock", "vertex"].into_iter();
        let usable = usable.filter(|name| config.provider(name).unwrap().available);
        usable.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(usable(&[]), "");
    assert_eq!(usable(&[("AZURE_OPENAI_API_KEY", "k")]), "azure");
    assert_eq!(usable(&[("AWS_BEARER_TOKEN_BEDROCK", "k")]), "", "where?");
    let keys = [("AWS_ACCESS_KEY_ID", "k"), ("AWS_SECRET_ACCESS_KEY", "k")];
    let region = ("AWS_REGION", "eu-central-1");
    assert_eq!(usable(&[keys[0], region]), "", "half a key");
    assert_eq!(usable(&[keys[0], keys[1], region]), "bedrock");
    assert_eq!(usable(&[("GOOGLE_CLOUD_PROJECT", "p-1")]), "vertex");
    let report = problems(
        "llm_providers: {gemini: {model: m, region: eu, deployment: d}}",
        &[],
    );
    assert!(
        report.contains("a provider of type `gemini` has no `region`")
            && report.contains("`region` is for `type: bedrock`, `type: vertex`")
            && report.contains("has no `deployment`"),
        "{report}"
    );
}
