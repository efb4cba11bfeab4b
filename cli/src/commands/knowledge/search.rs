//! `tarsy knowledge search`.

use std::process::ExitCode;

use anyhow::Result;
use tarsy_knowledge::{Help, Query, Searcher};

use crate::field_filter::{self, FieldFilter};
use crate::output::{bold, dim, json, shortened};

/// Longest text of a chunk that is shown, in characters.
const SHOWN: usize = 300;

/// What to search for.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Question, keywords or identifiers
    text: Vec<String>,
    /// Collection to search; may be repeated [default: all]
    #[arg(long)]
    collection: Vec<String>,
    /// Filter FIELD=VALUE; repeat a field to match any of its values
    #[arg(long, value_name = "FIELD=VALUE", value_parser = field_filter::parse)]
    filter: Vec<FieldFilter>,
    /// Maximum number of records
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=200))]
    limit: u64,
    /// Print JSON, one line per record
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(searcher: &Searcher, options: &Options) -> Result<ExitCode> {
    let query = Query {
        text: options.text.join(" "),
        collections: options.collection.clone(),
        filters: field_filter::by_field(&options.filter),
        limit: usize::try_from(options.limit)?,
    };
    let found = searcher.search(&query).await?;
    for (what, help) in [
        ("vectors", &found.trace.dense),
        ("reranking", &found.trace.rerank),
    ] {
        if let Help::Failed(reason) = help {
            eprintln!("without {what}: {reason}");
        }
    }
    for hit in &found.results {
        if options.json {
            println!("{}", json(hit)?);
            continue;
        }
        let place = format!(
            "{}:{}  chunk {}  score {:.2}",
            hit.source, hit.line, hit.chunk_id, hit.score
        );
        let mark = if hit.exact > 0 { "  identifier" } else { "" };
        println!(
            "{}  {}{mark}",
            bold(&format!("{}/{}", hit.collection, hit.key)),
            dim(&place)
        );
        println!("  {}\n", shortened(&hit.text, SHOWN));
    }
    if found.results.is_empty() && !options.json {
        println!("nothing found");
    }
    Ok(ExitCode::SUCCESS)
}
