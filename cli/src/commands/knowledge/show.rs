//! `tarsy knowledge show`.

use std::process::ExitCode;

use anyhow::Result;
use sqlx::PgPool;
use tarsy_knowledge::store::{self, CollectionSummary};

use crate::output::{bold, dim, json};
use crate::table::Table;

/// Which collections.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Collections [default: all]
    collections: Vec<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) async fn run(pool: &PgPool, options: &Options) -> Result<ExitCode> {
    let mut connection = pool.acquire().await?;
    store::check(&mut connection).await?;
    let all = store::summaries(&mut connection, &options.collections).await?;
    if options.json {
        println!("{}", json(&all)?);
        return Ok(ExitCode::SUCCESS);
    }
    if all.is_empty() {
        println!("no collections: load one with `tarsy knowledge load`");
    }
    for one in &all {
        show(one);
    }
    Ok(ExitCode::SUCCESS)
}

fn show(one: &CollectionSummary) {
    let sizes = format!(
        "{} records, {} chunks in {} segments",
        one.records, one.chunks, one.segments
    );
    println!("{}  {}\n", bold(&one.name), dim(&sizes));
    let mut fields = Table::new(&["field", "type", "column", "use"]);
    for field in &one.fields {
        let uses = [
            (field.identifier, "identifier"),
            (field.is_filter(), "filter"),
            (field.search, "search"),
            (field.required, "required"),
        ];
        let uses: Vec<&str> = uses
            .into_iter()
            .filter(|(has, _)| *has)
            .map(|(_, name)| name)
            .collect();
        fields.row(vec![
            field.name.clone(),
            field.kind.sql().to_owned(),
            field.column().to_owned(),
            uses.join(", "),
        ]);
    }
    fields.print("no fields");
    println!();
    let mut loads = Table::new(&[
        "load",
        "state",
        "rows",
        "added",
        "replaced",
        "unchanged",
        "rejected",
    ]);
    for load in &one.loads {
        let counts = [
            load.rows_read,
            load.added,
            load.replaced,
            load.unchanged,
            load.rejected,
        ];
        let mut row = vec![load.source.clone(), load.state.clone()];
        row.extend(counts.map(|count| count.to_string()));
        loads.row(row);
    }
    loads.print("no loads");
    println!();
}
