//! The reference page of the configuration file: a table of keys for each section.

use std::fmt::Write as _;

use serde_json::Value as Json;

const INTRODUCTION: &str = "# Configuration file

This page lists every key of `agents.yaml`. It is made from the declarations that the loader reads the file by.
[AGENTS.md](AGENTS.md) explains what most of them do. `tarsy check-config` reports every mistake in a file.

A `${VAR}` in a text stands for the environment variable `VAR`. A length of time without a unit counts seconds.
";

/// A section, and where in the file it can stand.
struct Section<'s> {
    schema: &'s Json,
    paths: Vec<String>,
}

/// Returns the page as Markdown.
#[must_use]
pub fn reference() -> String {
    let schema = super::schema();
    let root = schema.as_value();
    let mut sections = Vec::new();
    visit(root, root, String::new(), &mut sections);
    let mut page = INTRODUCTION.to_owned();
    for section in &sections {
        write(section, root, &sections, &mut page);
    }
    page
}

/// Adds the section at `path`, and then the mappings in it.
fn visit<'s>(root: &'s Json, schema: &'s Json, path: String, sections: &mut Vec<Section<'s>>) {
    let mut known = sections.iter_mut();
    if let Some(section) = known.find(|section| std::ptr::eq(section.schema, schema)) {
        section.paths.push(path);
        return;
    }
    let prefix = match path.is_empty() {
        true => path.clone(),
        false => format!("{path}."),
    };
    sections.push(Section {
        schema,
        paths: vec![path],
    });
    for (key, value) in schema["properties"].as_object().into_iter().flatten() {
        let (inner, below) = innermost(value, format!("{prefix}{key}"));
        if let Some(section) = target(root, inner) {
            visit(root, section, below, sections);
        }
    }
}

/// Returns the schema without the alternative `null`.
fn set(schema: &Json) -> &Json {
    let mut alternatives = schema["anyOf"].as_array().into_iter().flatten();
    match alternatives.any(|one| one["type"] == "null") {
        true => &schema["anyOf"][0],
        false => schema,
    }
}

/// Returns the schema of the entries of lists and of mappings by name, and its path.
fn innermost(schema: &Json, path: String) -> (&Json, String) {
    let schema = set(schema);
    if schema["items"].is_object() {
        return innermost(&schema["items"], format!("{path}[]"));
    }
    match schema["additionalProperties"].is_object() {
        true => innermost(&schema["additionalProperties"], format!("{path}.<name>")),
        false => (schema, path),
    }
}

/// Returns the section that a reference leads to.
fn target<'s>(root: &'s Json, schema: &Json) -> Option<&'s Json> {
    let reference = schema["$ref"].as_str();
    let reference = reference.or_else(|| schema["allOf"][0]["$ref"].as_str())?;
    root.pointer(reference.trim_start_matches('#'))
}

fn write(section: &Section<'_>, root: &Json, sections: &[Section<'_>], page: &mut String) {
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let [first, others @ ..] = section.paths.as_slice() else {
        return;
    };
    let heading = match first.is_empty() {
        true => "Top level".to_owned(),
        false => format!("`{first}`"),
    };
    let about = text(&section.schema["description"]);
    _ = write!(page, "\n## {heading}\n\n{about}");
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|path| format!("`{path}`")).collect();
        _ = write!(page, " The same keys:\n{}.", others.join(",\n"));
    }
    page.push_str("\n\n| Key | Value | Meaning |\n|---|---|---|\n");
    let required: Vec<&str> = section.schema["required"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
        .collect();
    for (key, schema) in section.schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
    {
        let mark = if required.contains(&key.as_str()) {
            "required: "
        } else {
            ""
        };
        let value = value(schema, root, sections);
        let meaning = text(&schema["description"]).replace('|', r"\|");
        _ = writeln!(page, "| `{key}` | {mark}{value} | {meaning} |");
    }
}

/// Describes the values that a key can have.
fn value(schema: &Json, root: &Json, sections: &[Section<'_>]) -> String {
    let schema = set(schema);
    if let Some(target) = target(root, schema) {
        let mut sections = sections.iter();
        let section = sections.find(|section| std::ptr::eq(section.schema, target));
        let path = section.map_or("", |section| section.paths[0].as_str());
        let is_in_anchor = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let anchor: String = path.chars().filter(is_in_anchor).collect();
        return format!("[section](#{anchor})");
    }
    if schema["items"].is_object() {
        return format!("list of {}", value(&schema["items"], root, sections));
    }
    if !schema["additionalProperties"].is_null() {
        let inner = value(&schema["additionalProperties"], root, sections);
        return format!("{inner} by name");
    }
    let quoted = |values: &[Json]| -> Vec<String> {
        let word = |value: &Json| value.as_str().map_or(value.to_string(), str::to_owned);
        values
            .iter()
            .map(|value| format!("`{}`", word(value)))
            .collect()
    };
    if let Some(words) = schema["anyOf"][0]["enum"].as_array() {
        return quoted(words).join(", ");
    }
    if let Some(alternatives) = schema["anyOf"].as_array() {
        let alternatives = alternatives.iter().map(|one| value(one, root, sections));
        return alternatives.collect::<Vec<_>>().join("; or a ");
    }
    if let (Some(least), Some(most)) = (schema["minimum"].as_i64(), schema["maximum"].as_i64()) {
        return format!("{least} to {most}");
    }
    match schema["examples"].as_array() {
        Some(both) if both[0].is_boolean() => quoted(both).join(" or "),
        Some(examples) => {
            let two = examples.get(..2).unwrap_or(examples);
            format!("e.g. {}", quoted(two).join(", "))
        }
        None if schema["type"].is_null() => "anything".to_owned(),
        None => "text".to_owned(),
    }
}
