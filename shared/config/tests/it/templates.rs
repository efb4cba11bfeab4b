//! `${VAR}`: a table of examples, and properties for any input.

use std::collections::BTreeSet;

use proptest::prelude::*;
use tarsy_config::{Environment, template};

fn resolve(text: &str, env: &[(&str, &str)]) -> Result<String, Vec<String>> {
    template::resolve(text, &Environment::from_pairs(env.iter().copied()))
        .map_err(|names| names.into_iter().collect())
}

#[test]
fn templates_resolve_as_documented() {
    let env = [
        ("TOKEN", "s3cret"),
        ("HOST", "db"),
        ("PORT", "5432"),
        ("EMPTY", ""),
        ("_x1", "low"),
        ("NEST", "${TOKEN}"),
    ];
    let table: [(&str, &str); 22] = [
        ("plain", "plain"),
        ("", ""),
        ("${TOKEN}", "s3cret"),
        ("Bearer ${TOKEN}", "Bearer s3cret"),
        ("http://${HOST}:${PORT}/", "http://db:5432/"),
        ("${HOST}${PORT}", "db5432"),
        ("${EMPTY}", ""),
        ("${_x1}", "low"),
        ("${NEST}", "${TOKEN}"),
        ("$TOKEN", "$TOKEN"),
        ("${", "${"),
        ("${}", "${}"),
        ("${ TOKEN }", "${ TOKEN }"),
        ("${1X}", "${1X}"),
        ("${A-B}", "${A-B}"),
        ("${TOKEN", "${TOKEN"),
        ("$${TOKEN}", "${TOKEN}"),
        ("a$${TOKEN}b${HOST}", "a${TOKEN}bdb"),
        ("$$5 and $$", "$$5 and $$"),
        ("${${TOKEN}", "${s3cret"),
        ("${TOKEN}}", "s3cret}"),
        ("ü${HOST}ü", "üdbü"),
    ];
    for (text, expected) in table {
        assert_eq!(resolve(text, &env), Ok(expected.to_owned()), "{text}");
    }
}

#[test]
fn what_is_missing_is_named_once_and_sorted() {
    assert_eq!(
        resolve("${B} ${A} ${B} $${C}", &[]),
        Err(vec!["A".to_owned(), "B".to_owned()])
    );
}

#[test]
fn kubeconfig_has_a_default_and_the_environment_wins() {
    assert_eq!(
        resolve("${KUBECONFIG}", &[("HOME", "/home/a")]),
        Ok("/home/a/.kube/config".to_owned())
    );
    assert_eq!(
        resolve("${KUBECONFIG}", &[]),
        Ok("~/.kube/config".to_owned())
    );
    assert_eq!(
        resolve(
            "${KUBECONFIG}",
            &[("HOME", "/home/a"), ("KUBECONFIG", "/k")]
        ),
        Ok("/k".to_owned())
    );
}

proptest! {
    #[test]
    fn any_text_resolves_or_names_what_is_missing(text in "[$ {}A-C_1ü]{0,24}") {
        let env = Environment::from_pairs([("A", "1"), ("B", "")]);
        let missing: BTreeSet<String> = template::resolve(&text, &env).err().unwrap_or_default();
        let named = |name: &String| {
            text.contains(&["${", name, "}"].concat()) && name != "A" && name != "B"
        };
        prop_assert!(missing.iter().all(named));
    }

    #[test]
    fn text_without_a_template_is_left_alone(text in "[^$]{0,40}") {
        prop_assert_eq!(resolve(&text, &[]), Ok(text));
    }
}
