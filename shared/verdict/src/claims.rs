//! Checks the claims of an answer against the calls that they cite.

use serde_json::Value;
use tarsy_model::SessionVerdict;

use crate::atoms::{Atom, atoms};
use crate::evidence::Evidence;
use crate::index::{Index, Needles};
use crate::looked::Looked;

/// The claims of an answer, at most 100, with their atoms.
pub(crate) struct Claims<'a> {
    claims: Vec<&'a Value>,
    pub(crate) atoms: Vec<Vec<Atom>>,
}

impl<'a> Claims<'a> {
    pub(crate) fn parse(claims: Option<&'a Value>) -> Self {
        let claims = claims.and_then(Value::as_array);
        let claims: Vec<&Value> = claims.into_iter().flatten().take(100).collect();
        let texts = claims.iter().map(|claim| claim["text"].as_str());
        let atoms = texts.map(|text| atoms(text.unwrap_or_default())).collect();
        Self { claims, atoms }
    }

    /// Returns the position of each claim that its calls do not show, with the reason.
    pub(crate) fn not_shown(
        &self,
        evidence: &[&Evidence<'_>],
        known: &Index,
        needles: &Needles,
    ) -> Vec<(u32, String)> {
        let why = |claim: &Value, atoms: &[Atom]| {
            if let Some(why) = claim["not_shown"].as_str() {
                return Some(why.to_owned());
            }
            let cited = claim["calls"].as_array().into_iter().flatten();
            let cited: Vec<&str> = cited
                .filter_map(|call| call["interaction_id"].as_str())
                .collect();
            let cited = evidence
                .iter()
                .filter(|one| cited.contains(&one.id.to_string().as_str()));
            let results = Index::build(cited.flat_map(|one| one.searched_texts()), needles);
            let missing = Looked::at(atoms, &results, known, needles).missing;
            (!missing.is_empty()).then(|| format!("its calls do not show {}", missing.join(", ")))
        };
        let claims = (0..).zip(self.claims.iter().zip(&self.atoms));
        claims
            .filter_map(|(place, (claim, atoms))| Some((place, why(claim, atoms)?)))
            .collect()
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
