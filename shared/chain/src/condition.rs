//! Conditions of stages: minijinja expressions that read the alert and the outputs of earlier stages.
//!
//! ```text
//! stages.triage.status == 'completed' and 'OOMKilled' in stages.triage.text
//! stages['data-collection'].data.severity in ['critical', 'high']
//! alert.severity == 'critical' or alert.data.namespace is startingwith 'prod'
//! ```
//!
//! | name | value |
//! |---|---|
//! | `alert.type`, `alert.severity` | text |
//! | `alert.data` | the alert's data |
//! | `stages.<name>.status` | `completed`, `failed` or `skipped` |
//! | `stages.<name>.text` | the stage's conclusion; none unless it completed |
//! | `stages.<name>.data` | its structured output; none unless it completed with one |
//! | `stages.<name>.verdict` | verdict on its answer, e.g. `unsupported`; none unless an agent completed it, and none with branches |
//! | `stages.<name>.label` | the label of the chain that it gave; none unless it gave one, and none with branches |
//! | `stages.<name>.refuted` | the number of claims that a stage of kind `verify` refuted; none for other stages |
//! | `stages.<name>.error` | why it failed or was skipped; none otherwise |
//! | `stages.<name>.branches[i]` | `name`, `status`, `text`, `data` and `error` of a branch; an empty list without branches |
//!
//! There are no functions, no I/O and no unbounded loops: an evaluation is limited to [`FUEL`] instructions.

pub(crate) mod facts;
pub(crate) mod syntax;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use minijinja::value::ValueKind;
use minijinja::{Environment, ErrorKind, UndefinedBehavior, Value};
use serde_json::Value as Json;

pub use facts::Facts;
pub(crate) use facts::StageFact;

use crate::branches::MAX_BRANCHES;

/// Maximum length of a condition. Long flat expressions overflow the parser's stack, no matter how much fuel is set.
pub const MAX_CONDITION_BYTES: usize = 1_000;

/// Instruction limit of one evaluation, some 30 ns each.
const FUEL: u64 = 20_000;

/// A parsed condition that reads only allowed names.
#[derive(Debug)]
pub struct Condition {
    source: String,
    stages: BTreeSet<String>,
}

/// Error of a condition.
#[expect(missing_docs, reason = "the names say it")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// Longer than [`MAX_CONDITION_BYTES`].
    #[error("it is longer than {MAX_CONDITION_BYTES} bytes")]
    TooLong,
    #[error("syntax error: {0}")]
    Syntax(String),
    /// A name that is neither `alert` nor `stages`.
    #[error("unknown name `{0}`; expressions read `alert` and `stages`")]
    UnknownName(String),
    /// `stages` without the name of a stage.
    #[error(
        "`stages` needs the name of a stage, as in `stages.triage` or `stages['data-collection']`"
    )]
    BareStages,
    #[error("unknown filter `{0}`")]
    UnknownFilter(String),
    #[error("unknown test `{0}`")]
    UnknownTest(String),
    /// A function or method call.
    #[error("expressions can't call functions")]
    Call,
    /// It reads a missing value.
    #[error("it reads a value that does not exist")]
    Undefined,
    /// The value is not a boolean.
    #[error("its value is of type {0}, not true or false")]
    NotBoolean(String),
    /// The value of a branch list is not a list.
    #[error("its value is of type {0}, not a list")]
    NotList(String),
    /// The list has more items than a stage can have branches.
    #[error("its list has {0} items; at most {MAX_BRANCHES} are possible")]
    TooManyItems(usize),
    #[error("{0}")]
    Evaluation(String),
}

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(environment);

/// Creates an environment with a limit of [`FUEL`] instructions.
pub(crate) fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment
}

impl Condition {
    /// Parses a condition.
    ///
    /// # Errors
    ///
    /// [`ConditionError`], except the kinds that only an evaluation can cause.
    pub fn parse(source: &str) -> Result<Self, ConditionError> {
        if source.len() > MAX_CONDITION_BYTES {
            return Err(ConditionError::TooLong);
        }
        let stages = syntax::stages_read_by(source)?;
        Ok(Self {
            source: source.to_owned(),
            stages,
        })
    }

    /// Returns the names of the stages that it reads.
    pub fn stages(&self) -> impl Iterator<Item = &String> {
        self.stages.iter()
    }

    /// Evaluates the condition.
    ///
    /// It is false if it depends on the output of a stage that did not complete.
    ///
    /// # Errors
    ///
    /// [`ConditionError`] if its value is not a boolean.
    pub(crate) fn holds(&self, facts: &Facts) -> Result<bool, ConditionError> {
        match self.value(facts)? {
            None => Ok(false),
            Some(value) => match bool::try_from(value.clone()) {
                Ok(holds) if is_boolean(&value) => Ok(holds),
                _ => Err(ConditionError::NotBoolean(value.kind().to_string())),
            },
        }
    }

    /// Evaluates the expression as the list of a stage's branches.
    ///
    /// The list is empty if it depends on the output of a stage that did not complete.
    ///
    /// # Errors
    ///
    /// [`ConditionError`] if its value is not a list, or a list of more than [`MAX_BRANCHES`] items.
    pub(crate) fn items(&self, facts: &Facts) -> Result<Vec<Json>, ConditionError> {
        let Some(value) = self.value(facts)? else {
            return Ok(Vec::new());
        };
        let is_list = matches!(value.kind(), ValueKind::Seq | ValueKind::Iterable);
        let items = match is_list {
            true => value.try_iter(),
            false => return Err(ConditionError::NotList(value.kind().to_string())),
        };
        let items = items.map_err(|error| ConditionError::Evaluation(error.to_string()))?;
        // One item above the maximum is enough to detect the excess.
        let items: Vec<Value> = items.take(MAX_BRANCHES + 1).collect();
        if items.len() > MAX_BRANCHES {
            return Err(ConditionError::TooManyItems(
                value.len().unwrap_or(items.len()),
            ));
        }
        let json = |item| {
            serde_json::to_value(&item)
                .map_err(|error| ConditionError::Evaluation(error.to_string()))
        };
        items.into_iter().map(json).collect()
    }

    /// Returns its value; `None` if it depends on the output of a stage that did not complete.
    fn value(&self, facts: &Facts) -> Result<Option<Value>, ConditionError> {
        let expression = ENVIRONMENT
            .compile_expression(&self.source)
            .map_err(|error| ConditionError::Syntax(error.to_string()))?;
        let undefined = || match self.stages.iter().any(|name| facts.has_no_output(name)) {
            true => Ok(None),
            false => Err(ConditionError::Undefined),
        };
        match expression.eval(facts.context()) {
            Ok(value) if value.is_undefined() || value.is_none() => undefined(),
            Ok(value) => Ok(Some(value)),
            Err(error) if error.kind() == ErrorKind::UndefinedError => undefined(),
            Err(error) => Err(ConditionError::Evaluation(error.to_string())),
        }
    }
}

fn is_boolean(value: &Value) -> bool {
    value.kind() == ValueKind::Bool
}

#[cfg(test)]
mod tests;
