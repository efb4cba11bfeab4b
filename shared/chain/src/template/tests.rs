use proptest::prelude::*;
use serde_json::{Map, Value as Json, json};
use tarsy_model::StageStatus;

use super::*;
use crate::condition::StageFact;

fn facts() -> Facts {
    let mut facts = Facts::new(json!({
        "type": "CheckoutErrors", "severity": "critical", "data": {"namespace": "prod", "labels": {"pod": "cart"}}
    }));
    let output = json!({"result": "OOM", "data": {"hosts": ["a", "b"], "fix": true, "n": 3}});
    let stage = |status, output, error: Option<&str>| StageFact {
        status,
        output,
        error: error.map(str::to_owned),
    };
    facts.set("triage", stage(StageStatus::Completed, Some(output), None));
    facts.set("logs", stage(StageStatus::Failed, None, Some("no server")));
    facts
}

fn render(source: &str) -> Result<String, TemplateError> {
    Template::parse(source)?.render(&facts())
}

#[test]
fn templates_make_text() {
    for (source, text) in [
        ("plain", "plain"),
        (
            "{{ alert.type }} in {{ alert.data.namespace }}\n",
            "CheckoutErrors in prod\n",
        ),
        ("{{ stages.triage.data.hosts | join(', ') }}", "a, b"),
        (
            "{{ stages.triage.data.fix }} {{ stages.triage.data.n }}",
            "true 3",
        ),
        (
            "{{ stages.logs.text }} {{ stages.logs.error }}",
            "null no server",
        ),
        ("{{ alert.data.labels }}", "{\n  \"pod\": \"cart\"\n}"),
        ("{{ alert.data.labels | tojson }}", "{\"pod\": \"cart\"}"),
        (
            "{% for host in stages.triage.data.hosts if host != 'b' %}\n- {{ loop.index }} {{ host }}\n{% endfor %}end",
            "- 1 a\nend",
        ),
        (
            "{% for k, v in alert.data.labels | items %}{{ k }}={{ v }}{% endfor %}",
            "pod=cart",
        ),
        (
            "{% if stages.logs.status == 'completed' %}{{ stages.logs.data.x }}{% else %}none{% endif %}",
            "none",
        ),
        ("{# a remark #}{% raw %}{{ x }}{% endraw %}", "{{ x }}"),
        ("{{ alert.data.region | default('eu') }}", "eu"),
    ] {
        assert_eq!(render(source).as_deref(), Ok(text), "{source}");
    }
}

#[test]
fn what_is_outside_of_the_closed_world_is_refused_before_it_runs() {
    for (source, expected) in [
        ("{{ secrets }}", "unknown name `secrets`"),
        ("{{ stages }}", "`stages` needs the name of a stage"),
        (
            "{{ host }}{% for host in [1] %}{% endfor %}",
            "unknown name `host`",
        ),
        (
            "{% for stages in [1] %}{% endfor %}",
            "unknown name `stages`",
        ),
        ("{{ range(10) }}", "can't call functions"),
        ("{{ alert | pprint }}", "unknown filter `pprint`"),
        ("{{ alert.type is sameas 1 }}", "unknown test `sameas`"),
        ("{% set x = 1 %}", "only the statements `if` and `for`"),
        (
            "{% include 'x' %}",
            "syntax error: unknown statement include",
        ),
        ("a\nb {{ alert. }}", "(line 2 of the template)"),
        ("{% if alert %}", "syntax error"),
    ] {
        let error = render(source).expect_err(source).to_string();
        assert!(error.contains(expected), "{source}: {error}");
    }
}

#[test]
fn what_is_not_there_is_an_error() {
    for source in [
        "{{ alert.data.regoin }}",
        "{{ stages.triage.data.x.y }}",
        "{{ stages.logs.data.x }}",
    ] {
        assert!(
            matches!(render(source), Err(TemplateError::Undefined(_))),
            "{source}"
        );
    }
}

#[test]
fn a_template_has_bounds() {
    let long = "x".repeat(MAX_TEMPLATE_BYTES + 1);
    assert_eq!(render(&long), Err(TemplateError::TooLong));
    let flat = format!("{{{{ 1{} }}}}", " + 1".repeat(300));
    assert_eq!(render(&flat), Err(TemplateError::TagTooLong(1)));
    let elifs = format!("{{% if 1 %}}{}{{% endif %}}", "{% elif 1 %}".repeat(1_200));
    assert_eq!(render(&elifs), Err(TemplateError::TooManyStatements));
    for source in [
        "{% for a in 'x' * 9999 %}{% for b in 'x' * 9999 %}{% endfor %}{% endfor %}".to_owned(),
        "{{ 'x' * 999999999 }}".to_owned(),
        format!("{{{{ 'x' | replace('x', '{}') }}}}", "y".repeat(400)).repeat(12)
            + "{{ ('x' * 15000) | replace('x', 'x' * 15000) }}",
        "{{ ('x' * 15000) | list | join('x' * 15000) }}".to_owned(),
        "{% for a in ('x' * 200) | list %}{{ 'x' * 9999 }}{% endfor %}".to_owned(),
    ] {
        assert!(
            matches!(render(&source), Err(TemplateError::Rendering(_))),
            "{source:.80}"
        );
    }
}

fn arguments(args: Json) -> Result<Json, String> {
    let Json::Object(args) = args else {
        panic!("no object")
    };
    let arguments = Arguments::parse(&args).map_err(|(name, error)| format!("{name}: {error}"))?;
    let rendered = arguments.render(&facts());
    rendered
        .map(Json::Object)
        .map_err(|(name, error)| format!("{name}: {error}"))
}

#[test]
fn an_argument_that_is_one_expression_keeps_its_type() {
    let rendered = arguments(json!({
        "hosts": "{{ stages.triage.data.hosts }}", "text": "{{ stages.triage.data.hosts }}!",
        "deep": [{"n": "{{ stages.triage.data.n }}"}, 1, null], "two": "{{ 1 }}{{ 2 }}", "none": "{{ stages.logs.text }}",
        "braces": "{{ '}}' }}"
    }));
    assert_eq!(
        rendered,
        Ok(json!({
            "hosts": ["a", "b"], "text": "[\n  \"a\",\n  \"b\"\n]!", "deep": [{"n": 3}, 1, null], "two": "12", "none": null,
            "braces": "}}"
        }))
    );
    assert!(
        arguments(json!({"a": "{{ stages.triage.data.x }}"}))
            .is_err_and(|e| e.starts_with("a: it reads a value"))
    );
    assert!(
        arguments(json!({"a": 1, "b": ["{{ x }}"]}))
            .is_err_and(|e| e.starts_with("b: unknown name"))
    );
}

proptest! {
    #[test]
    fn no_source_makes_the_parser_or_the_renderer_panic(source in "([{}%# a-z0-9.'()|,+*~\\[\\]-]|\\{\\{|\\}\\}|\\{%|%\\}|alert|stages|for|in|if|end|else){0,60}") {
        let _ = render(&source);
        let _ = arguments(json!({"a": source}));
    }

    #[test]
    fn text_without_tags_is_itself(source in "[^{}]{0,200}") {
        let text = render(&source);
        prop_assert_eq!(text.as_deref(), Ok(source.as_str()));
        let args: Map<String, Json> = [("a".to_owned(), Json::String(source.clone()))].into_iter().collect();
        let rendered = Arguments::parse(&args).expect("it parses").render(&facts()).expect("it renders");
        prop_assert_eq!(rendered, args);
    }
}
