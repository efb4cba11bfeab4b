//! `tarsy knowledge evaluate`.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use tarsy_knowledge::Searcher;
use tarsy_knowledge::evaluation::{Question, evaluate};

use crate::output::json;
use crate::table::Table;

/// Questions.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// File of questions with their relevant records (JSON lines)
    questions: PathBuf,
    /// Print JSON, one line per kind of question and search method
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(searcher: &Searcher, options: &Options) -> Result<ExitCode> {
    let questions = Question::read(&options.questions)?;
    let scores = evaluate(searcher, &questions).await?;
    let mut table = Table::new(&["questions", "arm", "number", "recall@10", "nDCG@10"]);
    for score in &scores {
        if options.json {
            println!("{}", json(score)?);
        }
        table.row(vec![
            score.kind.clone(),
            score.arm.to_owned(),
            score.questions.to_string(),
            format!("{:.3}", score.recall),
            format!("{:.3}", score.ndcg),
        ]);
    }
    if !options.json {
        table.print("no questions");
    }
    Ok(ExitCode::SUCCESS)
}
