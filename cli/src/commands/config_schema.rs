//! `tarsy config-schema`: prints the JSON Schema with which editors complete and check `agents.yaml`.

use clap::Args;

use crate::printing;

/// Arguments of `tarsy config-schema`.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Print a page for people instead: every key in Markdown
    #[arg(long)]
    markdown: bool,
}

pub(crate) fn run(options: &Options) {
    let text = match options.markdown {
        true => tarsy_config::reference(),
        false => tarsy_config::json_schema(),
    };
    printing::out_bytes(text.as_bytes());
}
