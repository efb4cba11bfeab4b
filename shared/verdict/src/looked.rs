//! Counts which atoms of one text occur in the results and in the alert.

use tarsy_model::SessionVerdict;

use crate::atoms::{Atom, AtomKind};
use crate::index::{Index, Needles};

/// The outcome of looking up the atoms of one text.
#[derive(Default)]
pub(crate) struct Looked {
    pub(crate) found: u32,
    /// Atoms that were found, without small numbers.
    pub(crate) telling: u32,
    pub(crate) missing: Vec<String>,
    /// Atoms that the alert already contains. `confirmed` counts those that results contain too.
    known: u32,
    confirmed: u32,
}

impl Looked {
    pub(crate) fn at(atoms: &[Atom], results: &Index, known: &Index, needles: &Needles) -> Self {
        let mut looked = Self::default();
        for atom in atoms {
            let has = results.has(atom, needles);
            let is_common =
                matches!(&atom.kind, AtomKind::Number(quantity) if quantity.is_common());
            if !is_common && known.has(atom, needles) {
                looked.known += 1;
                looked.confirmed += u32::from(has);
            } else if has {
                looked.found += 1;
                looked.telling += u32::from(!is_common);
            } else {
                looked.missing.push(atom.text.clone());
            }
        }
        looked
    }

    pub(crate) fn checked(&self) -> u32 {
        self.found + u32::try_from(self.missing.len()).unwrap_or(u32::MAX)
    }

    pub(crate) fn verdict(&self) -> SessionVerdict {
        match (self.checked(), self.missing.is_empty()) {
            // The text names only what the alert names. The results may confirm that, but they explain nothing.
            (0, _) if self.known > 0 && self.confirmed == self.known => {
                SessionVerdict::PartlySupported
            }
            (0, _) => SessionVerdict::Unsupported,
            (_, true) if self.telling > 0 => SessionVerdict::Supported,
            _ if self.telling > 0 => SessionVerdict::PartlySupported,
            _ => SessionVerdict::Unsupported,
        }
    }
}
