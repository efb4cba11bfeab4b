//! Values of variables from files: `NAME_FILE` in place of `NAME`.

use std::fs;
use std::path::{Path, PathBuf};

use tarsy_config::{Config, Connection, Environment, Settings, Source, Variables};
use tempfile::TempDir;

use crate::support::{load, problems};

/// Creates a file with this content, and returns it with its directory.
fn file(content: &[u8]) -> (TempDir, PathBuf) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("secret");
    fs::write(&path, content).expect("written");
    (folder, path)
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// Returns the problems of settings whose `DATABASE_URL_FILE` is this path, with more variables.
fn refused(path: &Path, more: &[(&str, &str)]) -> String {
    let env = [&[("DATABASE_URL_FILE", text(path))], more].concat();
    let settings = Settings::read(&Environment::from_pairs(env));
    settings.expect_err("has problems").to_string()
}

#[test]
fn settings_are_read_from_files_without_the_newline_at_the_end() {
    for ending in ["", "\n", "\r\n"] {
        let (_folder, path) = file(format!("postgres://u:p@h/d{ending}").as_bytes());
        let env = [("DATABASE_URL_FILE", text(&path)), ("DATABASE_URL", " ")];
        let settings = Settings::read(&Environment::from_pairs(env)).unwrap();
        assert_eq!(
            settings.database.url.unwrap().expose(),
            "postgres://u:p@h/d"
        );
    }
    let (_folder, path) = file(b" a\n\n");
    let env = Environment::from_pairs([("TOKEN_FILE", text(&path))]);
    assert_eq!(env.get("TOKEN"), Some(" a\n"), "one newline is cut");
}

#[test]
fn keys_and_templates_of_the_configuration_file_are_read_from_files() {
    let (_folder, path) = file(b"the secret\n");
    let config = "
llm_providers:
  own: {type: openai, model: m, api_key_env: GATEWAY_KEY}
mcp_servers:
  tools: {connection_params: {command: tools, env: {TOKEN: '${TOOLS_TOKEN}'}}}
webhooks:
  hooks: {type: pagerduty, secrets_env: [HOOK_SECRET]}
";
    let names = ["GATEWAY_KEY_FILE", "TOOLS_TOKEN_FILE", "HOOK_SECRET_FILE"];
    let env = names.map(|name| (name, text(&path)));
    let loaded = load(config, &env).unwrap();
    assert!(loaded.providers["own"].available);
    let secrets = &loaded.webhooks["hooks"].secrets;
    assert_eq!(secrets[0].expose(), "the secret");
    let Connection::Stdio { env, .. } = &loaded.servers["tools"].connection else {
        panic!("a server on standard streams");
    };
    assert_eq!(env["TOKEN"].value(), "the secret");
}

#[test]
fn an_unusable_file_is_named_with_its_variable_and_its_content_is_not_shown() {
    let (_folder, path) = file(b"postgres://canary@h/d");
    let both = refused(&path, &[("DATABASE_URL", "postgres://canary@h/e")]);
    assert!(
        both.contains("`DATABASE_URL` and `DATABASE_URL_FILE` are both set"),
        "{both}"
    );
    let (_empty, empty) = file(b" \n");
    let (_binary, binary) = file(b"\xff\xfe");
    let (_large, large) = file(&vec![b'x'; 1024 * 1024 + 1]);
    let cases = [
        (Path::new("/nowhere/url"), "can't be read"),
        (path.parent().unwrap(), "can't be read"),
        (&empty, "is empty"),
        (&binary, "is not UTF-8"),
        (&large, "is larger than 1024 KiB"),
    ];
    for (path, reason) in cases {
        let report = refused(path, &[]);
        let wanted = format!("`DATABASE_URL_FILE`: the file {} {reason}", path.display());
        assert!(report.contains(&wanted), "{report}");
    }
    assert!(!both.contains("canary"), "{both}");
    let config = "llm_providers: {own: {type: openai, model: m, api_key_env: GATEWAY_KEY}}";
    let report = problems(config, &[("GATEWAY_KEY_FILE", "/nowhere/key")]);
    assert!(
        report.contains("`GATEWAY_KEY_FILE`: the file /nowhere/key"),
        "{report}"
    );
}

#[test]
fn a_file_that_a_template_needs_is_one_problem_and_files_of_other_programs_are_none() {
    let config =
        "mcp_servers: {tools: {connection_params: {command: tools, args: ['${TOOLS_TOKEN}']}}}";
    let report = problems(config, &[("TOOLS_TOKEN_FILE", "/nowhere/token")]);
    assert!(
        report.contains("1 problem") && !report.contains("is not set"),
        "{report}"
    );
    let others = [
        ("SSL_CERT_FILE", "/nowhere"),
        ("AWS_WEB_IDENTITY_TOKEN_FILE", "/nowhere"),
    ];
    load("", &others).unwrap();
    Settings::read(&Environment::from_pairs(others)).unwrap();
}

#[test]
fn a_configuration_that_is_loaded_again_reads_files_again() {
    let (_folder, path) = file(b"old");
    let config = "webhooks: {hooks: {type: pagerduty, secrets_env: [HOOK_SECRET]}}";
    let source = Source::Text {
        name: "agents.yaml".to_owned(),
        text: config.to_owned(),
    };
    let env = Environment::from_pairs([("HOOK_SECRET_FILE", text(&path))]);
    let secret = |env: &Environment| {
        let config = Config::load_with(&source, env, Variables::Required).unwrap();
        config.webhooks["hooks"].secrets[0].expose().to_owned()
    };
    assert_eq!(secret(&env), "old");
    fs::write(&path, "new").unwrap();
    assert_eq!(
        (secret(&env), secret(&env.reread())),
        ("old".to_owned(), "new".to_owned())
    );
}
