//! Judges an answer: combines all checks into a verdict.

use std::collections::BTreeSet;

use serde_json::Value;
use tarsy_model::SessionVerdict;

use crate::atoms::{Atom, atoms};
use crate::check::Check;
use crate::claims::Claims;
use crate::evidence::{Evidence, examined};
use crate::index::{Index, Needles};
use crate::looked::Looked;
use crate::names::is_path;
use crate::sections::Report;
use crate::sentences::{not_shown, with_atoms};
use crate::statements::{is_inconclusive, is_no_fault};
use crate::text::beginning;

/// Maximum number of names that are listed as not found, and as unknown.
const LISTED: usize = 20;
/// Maximum number of names of the root cause that are kept.
const CAUSE_NAMES: usize = 8;
/// Index of `## Evidence` among the parts of an answer that are looked up.
const EVIDENCE: usize = 2;

/// An answer, and everything that it can be checked against.
#[derive(Clone, Debug)]
pub struct Case<'a> {
    /// The answer, in Markdown.
    pub answer: &'a str,
    /// Claims of the answer: `[{text, calls: [{interaction_id}], not_shown?}]`.
    pub claims: Option<&'a Value>,
    /// Tool calls that succeeded. The caller leaves out repeats, pages and answers of other models.
    pub evidence: &'a [Evidence<'a>],
    /// Alert, runbook and names of tools. A name in these texts is neither a finding nor unknown.
    pub known: &'a [&'a str],
    /// Whether any tool was offered to the agent.
    pub tools_offered: bool,
    /// Whether the model reached its token limit while it wrote the answer.
    pub answer_cut: bool,
}

/// Checks an answer against its tool results, its claims, and the alert.
///
/// The time grows with the size of the results, of which at most [`crate::MAX_EVIDENCE_BYTES`] are examined.
#[must_use]
pub fn judge(case: &Case<'_>) -> Check {
    let report = Report::parse(beginning(case.answer, crate::MAX_ANSWER_BYTES));
    let cause = report.root_cause();
    let (evidence, evidence_cut) = examined(case.evidence);
    let claims = Claims::parse(case.claims);
    let first_paragraph = report.first_paragraph();
    let said = [cause, first_paragraph].map(with_atoms);
    let evidence_part = report.section("evidence").unwrap_or_default();
    let parts = [cause, first_paragraph, evidence_part].map(atoms);
    let findings = atoms(&report.findings());
    let of_sentences = said.iter().flatten().flat_map(|(_, atoms)| atoms);
    let of_claims = claims.atoms.iter().flatten();
    let all = parts.iter().flatten().chain(of_sentences).chain(of_claims);
    let needles = Needles::from_atoms(all.chain(&findings));
    let results = Index::build(
        evidence.iter().flat_map(|one| one.searched_texts()),
        &needles,
    );
    let known = Index::build(case.known.iter().copied(), &needles);

    // Uses the first part that names more than the alert does.
    let looked = parts
        .iter()
        .map(|atoms| Looked::at(atoms, &results, &known, &needles));
    let looked: Vec<Looked> = looked.collect();
    let place = looked.iter().position(|looked| looked.checked() > 0);
    let place = place.unwrap_or_default();
    let looked = looked.into_iter().nth(place).unwrap_or_default();
    let is_new = |atom: &&Atom| results.has(atom, &needles) && !known.has(atom, &needles);
    let new_names = parts[place]
        .iter()
        .filter(|atom| atom.is_name())
        .filter(is_new);
    let cause_names: BTreeSet<String> = new_names.map(|atom| atom.text.to_lowercase()).collect();
    let claims_not_shown = claims.not_shown(&evidence, &known, &needles);
    let by_claims = claims.verdict(&claims_not_shown);
    let calls = count(case.evidence);
    let says_nothing_wrong = || is_no_fault(cause) || is_no_fault(first_paragraph);
    let not_shown = not_shown(said.get(place).unwrap_or(&said[0]), &results, &needles);
    let by_cause = match looked.verdict() {
        // If only the evidence part names something, or a sentence is not shown, the root cause is supported only
        // partly.
        SessionVerdict::Supported if place == EVIDENCE || !not_shown.is_empty() => {
            SessionVerdict::PartlySupported
        }
        verdict => verdict,
    };
    let verdict = match calls {
        0 if case.tools_offered => SessionVerdict::NotInvestigated,
        0 => SessionVerdict::NotChecked,
        // The agent only collected data.
        _ if case.answer.trim().is_empty() => SessionVerdict::NotChecked,
        _ if is_inconclusive(cause) => SessionVerdict::Inconclusive,
        _ if says_nothing_wrong() && (looked.telling > 0 || looked.missing.is_empty()) => {
            SessionVerdict::NoFault
        }
        _ => together(by_cause, by_claims),
    };
    let looked = match place {
        EVIDENCE => Looked::default(),
        _ => looked,
    };
    let is_partly = verdict == SessionVerdict::PartlySupported;
    let is_known = |atom: &Atom| results.has(atom, &needles) || known.has(atom, &needles);
    let names = findings.iter().filter(|atom| atom.is_name());
    let mut unknown_names: Vec<String> = names
        .filter(|atom| !is_known(atom))
        .map(|atom| atom.text.clone())
        .collect();
    unknown_names.sort_by_key(|name| is_path(name));
    unknown_names.truncate(LISTED);
    let mut check = Check {
        verdict,
        summary: String::new(),
        checked: looked.checked(),
        found: looked.found,
        not_found: looked.missing.into_iter().take(LISTED).collect(),
        sentences_not_shown: not_shown.into_iter().filter(|_| is_partly).collect(),
        unknown_names,
        cause_names: cause_names.into_iter().take(CAUSE_NAMES).collect(),
        calls,
        tools_offered: case.tools_offered,
        claims: case.claims.map(|_| count(&claims.atoms)),
        claims_not_shown,
        evidence_cut,
        answer_cut: case.answer_cut,
    };
    check.summary = check.sentence();
    check
}

/// Returns the atoms of a claim that neither the results nor the known texts contain; empty if there are none.
///
/// Returns `None` if the claim has nothing that can be looked up.
#[must_use]
pub fn check_claim(claim: &str, results: &[&str], known: &[&str]) -> Option<Vec<String>> {
    let atoms = atoms(claim);
    let needles = Needles::from_atoms(atoms.iter());
    let results = Index::build(results.iter().copied(), &needles);
    let known = Index::build(known.iter().copied(), &needles);
    let looked = Looked::at(&atoms, &results, &known, &needles);
    (!atoms.is_empty()).then_some(looked.missing)
}

/// Combines the verdict on the root cause with that on the claims.
fn together(cause: SessionVerdict, claims: Option<SessionVerdict>) -> SessionVerdict {
    use SessionVerdict::{PartlySupported, Supported, Unsupported};
    match (cause, claims) {
        (Supported, Some(Unsupported | PartlySupported)) => PartlySupported,
        (cause, _) => cause,
    }
}

fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}
