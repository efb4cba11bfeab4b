//! Claims of an answer, held against the calls that they cite.

use serde_json::Value;
use tarsy_model::SessionVerdict;

use crate::atoms::{Atom, atoms};
use crate::evidence::{Evidence, telling_arguments};
use crate::index::{Index, Needles};
use crate::looked::Looked;

/// The claims of an answer, taken apart.
pub(crate) struct Claims<'a> {
    claims: Vec<&'a Value>,
    pub(crate) atoms: Vec<Vec<Atom>>,
}

impl<'a> Claims<'a> {
    pub(crate) fn parse(claims: Option<&'a Value>) -> Self {
        let claims: Vec<&Value> = claims
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .take(100)
            .collect();
        let text = |claim: &&Value| {
            atoms(
                claim
                    .get("text")
                    .and_then(Value::as_str)
                    .unwrap_or_default(),
            )
        };
        let atoms = claims.iter().map(text).collect();
        Self { claims, atoms }
    }

    /// Why claims are not shown.
    pub(crate) fn not_shown(
        &self,
        evidence: &[&Evidence<'_>],
        known: &Index,
        needles: &Needles,
    ) -> Vec<(u32, String)> {
        let mut all = Vec::new();
        for (place, (claim, atoms)) in (0..).zip(self.claims.iter().zip(&self.atoms)) {
            if let Some(why) = claim.get("not_shown").and_then(Value::as_str) {
                all.push((place, why.to_owned()));
                continue;
            }
            let cited = claim
                .get("calls")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            let cited: Vec<&str> = cited
                .filter_map(|call| call.get("interaction_id")?.as_str())
                .collect();
            let cited = evidence
                .iter()
                .filter(|one| cited.contains(&one.id.to_string().as_str()));
            let texts = cited.flat_map(|one| [one.text, telling_arguments(one)]);
            let looked = Looked::at(atoms, &Index::build(texts, needles), known, needles);
            if !looked.missing.is_empty() {
                all.push((
                    place,
                    format!("its calls do not show {}", looked.missing.join(", ")),
                ));
            }
        }
        all
    }

    pub(crate) fn verdict(&self, not_shown: &[(u32, String)]) -> Option<SessionVerdict> {
        match (self.claims.len(), not_shown.len()) {
            (0, _) => None,
            (_, 0) => Some(SessionVerdict::Supported),
            (all, none) if all == none => Some(SessionVerdict::Unsupported),
            _ => Some(SessionVerdict::PartlySupported),
        }
    }
}
