//! Writes findings as Markdown, for an engineer or the next stage.

use std::fmt::Write as _;

use crate::finding::Finding;

/// Writes findings as Markdown: the first as the root cause, then the others.
///
/// Without findings the text states that no fault was recognised.
#[must_use]
pub fn report(findings: &[Finding]) -> String {
    let Some((first, others)) = findings.split_first() else {
        return "No fault was found: the rules recognise no known failure of Kubernetes in what was read. That does not show that all is well.".to_owned();
    };
    let mut text = format!("## Root cause\n\n{}", entry(first));
    if !others.is_empty() {
        text.push_str("\n## Also found, less likely the origin\n");
        for finding in others {
            let _ = write!(text, "\n{}", entry(finding));
        }
    }
    text
}

fn entry(finding: &Finding) -> String {
    let (rank, object, cause) = (finding.rank, &finding.object, finding.cause.as_str());
    let mut text = format!("{rank}. **{object}** (`{cause}`): {}\n", finding.sentence);
    if !finding.affected.is_empty() {
        let affected: Vec<String> = finding.affected.iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "   - Affected: {}", affected.join(", "));
    }
    for shown in &finding.evidence {
        let (call, line) = (&shown.call, shown.line);
        let shown = shown.text.replace('`', "'");
        let _ = writeln!(text, "   - `{call}`, line {line}: `{shown}`");
    }
    text
}
