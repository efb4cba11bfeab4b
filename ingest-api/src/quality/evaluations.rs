//! `/api/v1/evaluations`: summaries of evaluations that are stored for comparison.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tarsy_failpoint::reached;
use tarsy_model::OperatorAction;
use tarsy_store::admin::{KeptEvaluation, keep_evaluation, kept_evaluations};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::access::Actor;
use crate::problem::{FieldError, Problem};
use crate::server::audit::note;
use crate::server::operator_request::{Reason, ValidJson};
use crate::server::state::AppState;

/// Maximum number of listed evaluations; the newest are listed.
const LISTED: i64 = 50;
/// Longest name of an evaluation, a model or a case, in characters.
const LONGEST_NAME: usize = 200;
/// Maximum number of names in a summary: tags, cases and others.
const MOST_NAMES: usize = 1_000;

/// Figures of an evaluation. `tarsy eval publish` sends them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvaluationSummary {
    /// Name of the provider in the configuration.
    provider: String,
    model: String,
    strategy: String,
    /// First twelve digits of the configuration file's SHA-256, or `built-in`; null if not recorded.
    #[serde(default)]
    configuration: Option<String>,
    /// Cases that were run.
    cases: u32,
    /// Cases whose records answered enough calls to be scored.
    scored: u32,
    /// Cases whose answer is right.
    right: u32,
    /// Lower bound of the share of right cases (bootstrap, 95 %).
    #[serde(default)]
    right_low: Option<f64>,
    /// Upper bound of this share.
    #[serde(default)]
    right_high: Option<f64>,
    /// Cases that the best constant answer would get right.
    constant_right: u32,
    /// Facts that are not in the alerts.
    facts: u32,
    /// Of these, facts that the answers state.
    facts_said: u32,
    /// Of these, facts that no tool result contains.
    guessed: u32,
    /// Cases in which nothing is wrong.
    healthy: u32,
    /// Of these, cases whose answer names a cause.
    false_alarms: u32,
    /// Sessions without a tool call.
    without_call: u32,
    tokens: u64,
    /// Estimated US dollars of the model calls that have a price.
    cost_usd: f64,
    /// Right cases by tag.
    tags: Vec<EvaluationTag>,
    /// How often a judge agrees with the program.
    #[serde(default)]
    judge: Option<EvaluationJudge>,
    /// Comparison with another evaluation.
    #[serde(default)]
    against: Option<EvaluationAgainst>,
}

impl EvaluationSummary {
    /// Returns whether each count fits the type in the API's description: `int32`, and `int64` for tokens.
    fn has_counts_in_range(&self) -> bool {
        let own = [
            self.cases,
            self.scored,
            self.right,
            self.constant_right,
            self.facts,
            self.facts_said,
            self.guessed,
            self.healthy,
            self.false_alarms,
            self.without_call,
        ];
        let tags = self.tags.iter().flat_map(|tag| [tag.cases, tag.right]);
        let judge = self.judge.iter();
        let judge = judge.flat_map(|judge| [judge.same, judge.answered]);
        own.into_iter()
            .chain(tags)
            .chain(judge)
            .all(|count| i32::try_from(count).is_ok())
            && i64::try_from(self.tokens).is_ok()
    }
}

/// Cases with a tag.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvaluationTag {
    tag: String,
    cases: u32,
    right: u32,
}

/// A model's judgement of the answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvaluationJudge {
    model: String,
    /// Questions that the model answered like the program.
    same: u32,
    /// Questions that the model answered.
    answered: u32,
}

/// Difference from another evaluation of the same cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvaluationAgainst {
    name: String,
    /// Cases that were right before and are no longer right.
    regressed: Vec<String>,
    /// Cases that were not right before and are right now.
    improved: Vec<String>,
    /// P-value of the exact McNemar test over the cases.
    p_of_cases: f64,
}

/// An evaluation to store.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EvaluationWanted {
    /// Name of the evaluation, e.g. a model with a date: 1 to 200 characters.
    #[schema(min_length = 1, max_length = 200, example = "gemini, new prompt")]
    name: String,
    summary: EvaluationSummary,
}

/// A stored evaluation.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Evaluation {
    evaluation_id: Uuid,
    kept_at_us: i64,
    /// Who stored it.
    author: String,
    name: String,
    summary: EvaluationSummary,
}

/// Stored evaluations.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Evaluations {
    /// The newest 50, newest first.
    evaluations: Vec<Evaluation>,
}

impl Evaluation {
    /// Reads a stored evaluation. `None` if a newer version wrote it in another format.
    fn read(kept: KeptEvaluation) -> Option<Self> {
        Some(Self {
            evaluation_id: kept.evaluation_id,
            kept_at_us: kept.kept_at_us,
            author: kept.author,
            name: kept.name,
            summary: serde_json::from_value(kept.summary).ok()?,
        })
    }
}

impl EvaluationWanted {
    fn check(&self) -> Result<(), Problem> {
        let summary = &self.summary;
        let mut names = vec![&self.name, &summary.provider, &summary.model];
        names.push(&summary.strategy);
        names.extend(&summary.configuration);
        names.extend(summary.tags.iter().map(|tag| &tag.tag));
        names.extend(summary.judge.iter().map(|judge| &judge.model));
        if let Some(against) = &summary.against {
            names.push(&against.name);
            names.extend(against.regressed.iter().chain(&against.improved));
        }
        let mut errors = Vec::new();
        let is_name = |name: &str| {
            let length = name.chars().count();
            (1..=LONGEST_NAME).contains(&length) && !name.contains('\0') && !name.trim().is_empty()
        };
        if !names.iter().all(|name| is_name(name)) {
            let text = format!("names must have 1 to {LONGEST_NAME} characters, not all spaces");
            errors.push(FieldError::new("name", text));
        }
        if names.len() > MOST_NAMES {
            let text = format!("at most {MOST_NAMES} tags and cases");
            errors.push(FieldError::new("summary", text));
        }
        if !summary.has_counts_in_range() {
            let text = format!(
                "counts must be at most {}, and tokens {}",
                i32::MAX,
                i64::MAX
            );
            errors.push(FieldError::new("summary", text));
        }
        match errors.is_empty() {
            true => Ok(()),
            false => Err(Problem::InvalidRequest(errors)),
        }
    }
}

/// List stored evaluations.
#[utoipa::path(
    get, path = "/api/v1/evaluations", tag = "history", operation_id = "evaluations",
    responses((status = 200, description = "Evaluations", body = Evaluations))
)]
pub(crate) async fn list(State(app): State<AppState>) -> Result<Json<Evaluations>, Problem> {
    let mut conn = app.pool.acquire().await?;
    let kept = kept_evaluations(&mut conn, LISTED).await?;
    Ok(Json(Evaluations {
        evaluations: kept.into_iter().filter_map(Evaluation::read).collect(),
    }))
}

/// Store the summary of an evaluation.
#[utoipa::path(
    post, path = "/api/v1/admin/evaluations", tag = "admin", operation_id = "keep_evaluation",
    request_body = EvaluationWanted,
    responses(
        (status = 201, description = "Stored", body = Evaluation),
        (status = 422, description = "Invalid summary"),
    )
)]
pub(crate) async fn keep(
    State(app): State<AppState>,
    actor: Actor,
    ValidJson(wanted): ValidJson<EvaluationWanted>,
) -> Result<(StatusCode, Json<Evaluation>), Problem> {
    wanted.check()?;
    let id = Uuid::now_v7();
    let mut tx = app.pool.begin().await?;
    let summary = json!(wanted.summary);
    let kept = keep_evaluation(&mut tx, id, actor.name(), &wanted.name, &summary).await?;
    let (action, reason) = (OperatorAction::KeepEvaluation, Reason::not_stated());
    note(
        &mut tx,
        &actor,
        action,
        id,
        &reason,
        json!({"name": wanted.name}),
    )
    .await?;
    reached("admin.evaluation.before_commit");
    tx.commit().await?;
    reached("admin.evaluation.after_commit");
    let kept = Evaluation {
        evaluation_id: id,
        kept_at_us: kept.kept_at_us,
        author: kept.author,
        name: kept.name,
        summary: wanted.summary,
    };
    Ok((StatusCode::CREATED, Json(kept)))
}
