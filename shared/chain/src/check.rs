//! Checks templates, schemas and functions of stages. Runs only before a session is accepted.

use serde_json::Value;

use crate::graph::{MistakeKind, ancestors};
use crate::labels::label_mistake;
use crate::output::OutputSchema;
use crate::{AnalysisSchema, Arguments, ChainDefinition, Function, Mistake, StageKind, Template};

/// Finds the mistakes in what the stages of a chain run.
#[must_use]
pub fn kind_mistakes(chain: &ChainDefinition) -> Vec<Mistake> {
    let stages = 0..chain.stages.len();
    let of_stages = stages.flat_map(|stage| of_stage(chain, stage));
    of_stages.chain(label_mistake(chain)).collect()
}

fn of_stage(chain: &ChainDefinition, index: usize) -> Vec<Mistake> {
    let kind = &chain.stages[index].kind;
    let mut found = Vec::new();
    let mut read = Vec::new();
    match kind {
        StageKind::Ask(ask) => match Template::parse(&ask.prompt) {
            Ok(template) => read.extend(
                template
                    .stages()
                    .map(|name| ("prompt".to_owned(), name.clone())),
            ),
            Err(error) => found.push(MistakeKind::Template("prompt".to_owned(), error)),
        },
        StageKind::Tool(call) => read = arguments(&call.args, &mut found),
        StageKind::Function(call) => {
            read = arguments(&call.args, &mut found);
            if let Err(why) = Function::named(&call.function).and_then(|f| f.takes(&call.args)) {
                found.push(MistakeKind::Function(why));
            }
        }
        StageKind::Agent(_) | StageKind::SubAgent(_) | StageKind::Wait(_) => {}
    }
    if let Some(Err(why)) = kind.output_schema().map(|schema| compiles(kind, schema)) {
        found.push(MistakeKind::Schema(why));
    }
    let ancestors = ancestors(&chain.stages, index);
    if let Some(name) = kind.as_agent().and_then(|kind| kind.verifies.as_ref()) {
        let stage = ancestors
            .iter()
            .map(|at| &chain.stages[*at])
            .find(|stage| stage.name == *name);
        let why = match stage {
            None if name.is_empty() => Some("`of` is missing".to_owned()),
            None => Some(format!(
                "it does not need `{name}`, directly or through others"
            )),
            Some(stage) if stage.branches.is_some() => Some(format!("`{name}` has branches")),
            Some(stage) => match stage.kind.as_agent() {
                Some(kind) if kind.verifies.is_none() => None,
                _ => Some(format!("no agent concludes `{name}`")),
            },
        };
        found.extend(why.map(MistakeKind::Verifies));
    }
    for (key, name) in read {
        if !ancestors.iter().any(|at| chain.stages[*at].name == name) {
            found.push(MistakeKind::TemplateNoAncestor(key, name));
        }
    }
    let mistakes = found.into_iter();
    mistakes
        .map(|kind| Mistake { stage: index, kind })
        .collect()
}

fn compiles(kind: &StageKind, schema: &Value) -> Result<(), String> {
    match kind.as_agent() {
        Some(_) => AnalysisSchema::compile(schema).map(|_| ()),
        None => OutputSchema::compile(schema).map(|_| ()),
    }
}

/// Returns the stages that arguments read, each with the argument's key.
fn arguments(
    args: &serde_json::Map<String, Value>,
    found: &mut Vec<MistakeKind>,
) -> Vec<(String, String)> {
    match Arguments::parse(args) {
        Ok(arguments) => arguments
            .stages()
            .map(|name| ("args".to_owned(), name.clone()))
            .collect(),
        Err((name, error)) => {
            found.push(MistakeKind::Template(format!("args.{name}"), error));
            Vec::new()
        }
    }
}
