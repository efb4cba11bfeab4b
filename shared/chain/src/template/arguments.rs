//! Arguments: JSON values in which every string is a template.

use std::collections::BTreeSet;

use serde_json::{Map, Value as Json};

use super::syntax::sole_expression;
use super::{ENVIRONMENT, MAX_TEMPLATE_BYTES, Template, TemplateError, failed};
use crate::condition::Facts;

/// Arguments of a call, parsed.
///
/// A string that consists of a single `{{ .. }}` gives the value itself, so a list stays a list. Any other string
/// gives text.
#[derive(Clone, Debug)]
pub struct Arguments {
    entries: Vec<(String, Argument)>,
    stages: BTreeSet<String>,
}

#[derive(Clone, Debug)]
enum Argument {
    Constant(Json),
    Text(Template),
    /// Source of an expression.
    Value(String),
    List(Vec<Argument>),
    Object(Vec<(String, Argument)>),
}

impl Arguments {
    /// Parses arguments.
    ///
    /// # Errors
    ///
    /// The name of the argument, and the mistake in its template.
    pub fn parse(args: &Map<String, Json>) -> Result<Self, (String, TemplateError)> {
        let mut stages = BTreeSet::new();
        let mut entries = Vec::with_capacity(args.len());
        let mut bytes = 0;
        for (name, value) in args {
            bytes += name.len() + value.to_string().len();
            let argument = match bytes > MAX_TEMPLATE_BYTES {
                true => Err(TemplateError::TooLong),
                false => Argument::parse(value, &mut stages),
            };
            entries.push((
                name.clone(),
                argument.map_err(|error| (name.clone(), error))?,
            ));
        }
        Ok(Self { entries, stages })
    }

    /// Returns the names of the stages that they read.
    pub fn stages(&self) -> impl Iterator<Item = &String> {
        self.stages.iter()
    }

    /// Renders the arguments.
    ///
    /// # Errors
    ///
    /// The name of the argument, and the reason why its template can't be rendered.
    pub fn render(&self, facts: &Facts) -> Result<Map<String, Json>, (String, TemplateError)> {
        let rendered = self.entries.iter().map(|(name, argument)| {
            let value = argument
                .render(facts)
                .map_err(|error| (name.clone(), error));
            Ok((name.clone(), value?))
        });
        rendered.collect()
    }
}

impl Argument {
    fn parse(value: &Json, stages: &mut BTreeSet<String>) -> Result<Self, TemplateError> {
        Ok(match value {
            Json::String(source) => {
                let template = Template::parse(source)?;
                stages.extend(template.stages().cloned());
                match sole_expression(source) {
                    Some(expression) => Self::Value(expression.to_owned()),
                    None => Self::Text(template),
                }
            }
            Json::Array(items) => {
                let items = items.iter().map(|item| Self::parse(item, stages));
                Self::List(items.collect::<Result<_, _>>()?)
            }
            Json::Object(entries) => {
                let entries = entries
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), Self::parse(value, stages)?)));
                Self::Object(entries.collect::<Result<_, TemplateError>>()?)
            }
            constant => Self::Constant(constant.clone()),
        })
    }

    fn render(&self, facts: &Facts) -> Result<Json, TemplateError> {
        Ok(match self {
            Self::Constant(value) => value.clone(),
            Self::Text(template) => Json::String(template.render(facts)?),
            Self::Value(source) => {
                let expression = ENVIRONMENT.compile_expression(source).map_err(failed)?;
                let value = expression.eval(facts.context()).map_err(failed)?;
                if value.is_undefined() {
                    return Err(TemplateError::Undefined(String::new()));
                }
                serde_json::to_value(&value)
                    .map_err(|error| TemplateError::Rendering(error.to_string()))?
            }
            Self::List(items) => {
                let items = items.iter().map(|item| item.render(facts));
                Json::Array(items.collect::<Result<_, _>>()?)
            }
            Self::Object(entries) => {
                let entries = entries
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), value.render(facts)?)));
                Json::Object(entries.collect::<Result<_, TemplateError>>()?)
            }
        })
    }
}
