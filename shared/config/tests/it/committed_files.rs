//! Checks that the files of the repository fit the JSON Schema, and that the committed schema and reference are current.

use std::path::Path;

use crate::schema::{names, validator, yaml};

/// Returns the text of the file with its commented examples switched on.
fn uncommented(text: &str) -> String {
    text.lines()
        .map(|line| line.strip_prefix("#:").unwrap_or(line))
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn shipped_files_are_valid() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let validator = validator();
    for file in [
        "config/agents.yaml",
        "config/demo.yaml",
        "tests/config/fleet.yaml",
        "tests/config/graph.yaml",
        "tests/config/injection.yaml",
        "tests/config/lone.yaml",
        "tests/config/runbooks.yaml",
        "tests/config/strategies.yaml",
        "tests/torture/fixtures/fleet.yaml",
        "shared/config/src/builtin.yaml",
        "shared/config/tests/it/examples/chain_drafts.yaml",
        "shared/config/tests/it/examples/strategies_draft.yaml",
    ] {
        let text = std::fs::read_to_string(root.join(file)).unwrap();
        for text in [uncommented(&text), text] {
            let errors = names(validator.iter_errors(&yaml(&text)));
            assert!(errors.is_empty(), "{file}: {errors:#?}");
        }
    }
}

#[test]
fn the_committed_schema_and_reference_are_current() {
    for (file, current, option) in [
        ("config/agents.schema.json", tarsy_config::json_schema(), ""),
        (
            "docs/CONFIGURATION.md",
            tarsy_config::reference(),
            " --markdown",
        ),
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .join(file);
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(
            committed == current,
            "run `cargo run -p tarsy-cli -- config-schema{option} > {file}`"
        );
    }
}
