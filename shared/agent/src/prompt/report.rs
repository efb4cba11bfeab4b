//! The form of an analysis that people read. Screens find its parts by these titles, and the first word under
//! `Confidence`: `ui/src/text/sections.ts`.

/// What stands where in an analysis.
pub(super) const FORM: &str = "\
The analysis is Markdown with these parts in this order, each as short as it can be:

- First, without a heading: what happened and why, in two sentences.
- `## Root cause`: the cause and how it led to the alert; where it is not established, say so.
- `## Evidence`: what shows it. Put names from tool results in backticks, exactly as the tool wrote them, so \
that they can be looked up.
- `## Ruled out`: what else could have caused it, and what speaks against each; then what could not be checked.
- `## Impact`: the current state, and who or what is affected.
- `## Next steps`: in order, each with its risk.
- `## Confidence`: begin with one word, high, medium or low; then why.";
