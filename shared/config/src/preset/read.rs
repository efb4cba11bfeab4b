//! Reads the file of a preset.

use std::time::Duration;

use tarsy_model::EffectClass;

use super::{Destination, KEYS, Package, Preset, PresetKey, Registry, Tried};
use crate::context::{Context, Variables};
use crate::fields::Fields;
use crate::problem::{Position, Problems};
use crate::references::References;
use crate::settings::Environment;
use crate::{suggest, yaml};

/// Longest start of a server whose preset sets no `timeout`. It is long because the package may have to be downloaded
/// first.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Reads the file of the preset `name`.
///
/// # Errors
///
/// Every mistake in the file. Tests check that the built-in files have none.
pub(super) fn read(name: &'static str, text: &str) -> Result<Preset, Problems> {
    let (env, references) = (Environment::default(), References::default());
    let file = format!("presets/{name}.yaml");
    let context = Context::new(&file, text, &env, Variables::Optional, &references).built_in();
    let root = match yaml::parse(text) {
        Ok(root) => root,
        Err(mistake) => {
            context.report(mistake.at, mistake.message, None);
            None
        }
    };
    let start = Position { line: 1, column: 1 };
    let fields = root
        .as_ref()
        .and_then(|root| Fields::new(&context, format!("preset `{name}`"), start, root));
    let preset = fields.and_then(|fields| read_fields(name, &fields));
    let problems = context.problems();
    match preset {
        Some(preset) if problems.is_empty() => Ok(preset),
        _ => Err(problems),
    }
}

fn read_fields(name: &'static str, fields: &Fields<'_>) -> Option<Preset> {
    let summary = fields.required("summary", "it says what the server shows");
    let documentation = fields.url("documentation", &["https"]);
    let server_type = fields
        .string("server_type")
        .unwrap_or_else(|| name.to_owned());
    let package =
        read_package(&fields.required_section("package", "`registry`, `name` and `version`")?);
    let texts = |key: &'static str| {
        let texts = fields.texts_or_empty(key).into_iter();
        texts
            .map(|text| text.value().to_owned())
            .collect::<Vec<_>>()
    };
    let env = fields.texts_by_key("env").into_iter();
    let env = env.map(|(name, text)| (name.text.clone(), text.value().to_owned()));
    let keys = fields.named_sections("keys", "key").into_iter();
    let keys = keys.filter_map(|(key, section)| read_key(fields, &key.text, &section?));
    let other_tools = fields.lists_by_key("other_tools").into_iter();
    let other_tools = other_tools.flat_map(|(effect, tools)| {
        let effect = EffectClass::from_word(&effect.text);
        if effect.is_none() {
            fields.problem(
                "other_tools",
                "an unknown effect".to_owned(),
                "read_only, idempotent or destructive",
            );
        }
        let effect = effect.unwrap_or(EffectClass::Destructive);
        tools
            .into_iter()
            .map(move |tool| (tool.value().to_owned(), effect))
    });
    let preset = Preset {
        name,
        summary: summary.unwrap_or_default(),
        server_type,
        package: package?,
        args: texts("args"),
        env: env.collect(),
        timeout: fields.duration("timeout").unwrap_or(TIMEOUT),
        keys: keys.collect(),
        tools: fields.strings("tools").unwrap_or_default(),
        other_tools: other_tools.collect(),
        masking: fields.strings("masking").unwrap_or_default(),
        instructions: fields
            .required("instructions", "guidance for the model")
            .unwrap_or_default(),
        missing: fields
            .required("missing", "what to do if it cannot be started")
            .unwrap_or_default(),
        tried: read_tried(&fields.required_section("tried", "`date` and `tools`, or `needs`")?)?,
        documentation: documentation?.value().to_owned(),
    };
    fields.finish();
    Some(preset)
}

fn read_package(fields: &Fields<'_>) -> Option<Package> {
    let registry = match fields.choice("registry", &["npm", "pypi", "tarsy"])? {
        "npm" => Registry::Npm,
        "pypi" => Registry::Pypi,
        _ => Registry::Tarsy,
    };
    let name = fields.required("name", "the package's name");
    let version = match registry {
        Registry::Tarsy => None,
        _ => Some(fields.required("version", "packages are pinned")?),
    };
    let program = fields.string("program").or_else(|| name.clone());
    let python = fields.string("python");
    let with = fields.texts_or_empty("with").into_iter();
    let with = with.map(|text| text.value().to_owned()).collect();
    fields.finish();
    Some(Package {
        registry,
        name: name?,
        version,
        program: program?,
        python,
        with,
    })
}

fn read_key(preset: &Fields<'_>, name: &str, fields: &Fields<'_>) -> Option<PresetKey> {
    let Some(key) = KEYS.into_iter().find(|key| *key == name) else {
        preset.problem(
            "keys",
            format!("unknown key `{name}`"),
            &suggest::known(name, &KEYS),
        );
        return None;
    };
    let goes_to = match (fields.string("env"), fields.string("argument")) {
        (Some(env), None) => Destination::Env(env),
        (None, Some(argument)) => Destination::Argument(argument),
        _ => {
            fields.problem_here(
                "a key has `env` or `argument`".to_owned(),
                "where does its value go?",
            );
            return None;
        }
    };
    let required = fields.bool("required").unwrap_or(false);
    let about = fields.required("about", "it is shown to people")?;
    fields.finish();
    Some(PresetKey {
        key,
        goes_to,
        required,
        about,
    })
}

fn read_tried(fields: &Fields<'_>) -> Option<Tried> {
    let tried = match fields.string("needs") {
        Some(needs) => Tried::No { needs },
        None => Tried::On {
            date: fields.required("date", "the day of the try")?,
            tools: fields.integer("tools", 1..=1000)?,
        },
    };
    fields.finish();
    Some(tried)
}
