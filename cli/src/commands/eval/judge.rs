//! `tarsy eval judge`: asks a model about the answers of a run.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use tarsy_config::Variables;
use tarsy_eval::{JudgeQuestion, Judgement, VOTES, judge_questions};
use tarsy_llm::{ChatMessage, ChatRequest, ModelWithFallbacks, RetryPolicy};

use crate::configuration::Configuration;

/// A run, its cases and the model to ask.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Folder of the run
    run: PathBuf,
    /// Cases, or folders of cases
    #[arg(required = true)]
    cases: Vec<PathBuf>,
    #[command(flatten)]
    configuration: Configuration,
    /// Provider that judges; use a different one than the one that answered
    #[arg(long)]
    provider: String,
}

pub(super) async fn run(options: &Options, as_json: bool) -> Result<ExitCode> {
    tarsy_telemetry::install_crypto();
    let config = options.configuration.load(Variables::Optional)?;
    let Some(provider) = config.provider(&options.provider) else {
        bail!("the configuration has no provider `{}`", options.provider);
    };
    let providers = tarsy_stage_worker::providers(&config)?;
    let model = providers.get(&provider.name).with_context(|| {
        format!(
            "provider `{}` has no key, so it can't be asked",
            provider.name
        )
    })?;
    let model = ModelWithFallbacks::new(model, Vec::new(), RetryPolicy::default());
    let mut kept = super::read_judgement(&options.run)?.unwrap_or_default();
    if (&kept.provider, &kept.model) != (&provider.name, &provider.model) {
        kept = Judgement {
            provider: provider.name.clone(),
            model: provider.model.clone(),
            judged: Vec::new(),
        };
    }
    let mut judgement = Judgement {
        judged: Vec::new(),
        ..kept.clone()
    };
    let (ran, _) = super::by_session(&options.run, super::read_cases(&options.cases)?);
    for case in &ran {
        let session = super::read_session(&options.run, case)?;
        let answer = session.answer.as_deref().unwrap_or_default();
        for question in judge_questions(case, &session) {
            let judged = match kept.find(&question) {
                Some(judged) => judged.clone(),
                None => question.judged(&ask(&model, &question, answer).await?),
            };
            judgement.judged.push(judged);
        }
        // Write after each case, and keep the earlier judgements of the remaining cases, so that an interrupted run
        // resumes.
        let rest = kept.judged.iter().filter(|one| one.case > case.id).cloned();
        let so_far = Judgement {
            judged: judgement.judged.iter().cloned().chain(rest).collect(),
            ..judgement.clone()
        };
        super::write_json(&super::judgement_file(&options.run), &so_far)?;
    }
    let settings = super::read_report(&options.run)?.settings;
    super::finish(&options.run, settings, ran, as_json)
}

/// Asks a question once per vote.
async fn ask(
    model: &ModelWithFallbacks,
    question: &JudgeQuestion,
    answer: &str,
) -> Result<Vec<String>> {
    let mut replies = Vec::new();
    for _ in 0..VOTES {
        let request = ChatRequest {
            messages: vec![ChatMessage::user(question.prompt(answer))],
            request_id: uuid::Uuid::now_v7().to_string(),
            ..ChatRequest::default()
        };
        let replied = model.ask(&request).await.map_err(|no_answer| {
            anyhow::anyhow!(
                "the judge did not answer about {}: {}",
                question.asked.case,
                no_answer.reason()
            )
        })?;
        replies.push(replied.reply.text);
    }
    Ok(replies)
}
