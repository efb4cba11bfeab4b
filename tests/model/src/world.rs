//! Effects on the outside world, which no crash of the fleet can undo.

use crate::Violation;
use crate::calls::Call;
use crate::crashes::MOST_POISONED;

/// Counts by stage and sequence.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct World {
    /// Calls that arrived: stage, sequence and count.
    calls: Vec<(u8, u8, u8)>,
    /// Number of times that a stage began, as its workers see it.
    begun: Vec<u8>,
    /// Number of workers that a stage's poison has killed.
    poisoned: Vec<u8>,
    /// Number of times that a stage lost its worker for a reason other than poison.
    struck: Vec<u8>,
    /// Number of repair sweeps.
    repairs: u16,
    /// Number of times that crash counts were lost: in a power loss, because sweeps don't wait for the disk, or with a
    /// deleted job.
    pub(crate) forgotten: u8,
}

impl World {
    pub(crate) fn begin(&mut self, stage: u8) {
        *entry(&mut self.begun, stage) += 1;
    }

    pub(crate) fn poison(&mut self, stage: u8) -> Option<Violation> {
        let most = MOST_POISONED * (1 + usize::from(self.forgotten));
        let kills = entry(&mut self.poisoned, stage);
        *kills += 1;
        (usize::from(*kills) > most).then_some(Violation::Uncapped)
    }

    pub(crate) fn strike(&mut self, stage: u8) {
        *entry(&mut self.struck, stage) += 1;
    }

    pub(crate) fn strikes(&self, stage: u8) -> usize {
        let strikes = self.struck.get(usize::from(stage));
        strikes.map_or(0, |n| usize::from(*n))
    }

    /// Returns the time of a clock that runs faster than epochs rise.
    pub(crate) fn time_of_repair(&mut self) -> u32 {
        self.repairs += 1;
        u32::from(self.repairs) * 256
    }

    pub(crate) fn call(&mut self, stage: u8, sequence: u8, call: Call) -> Option<Violation> {
        let known = self
            .calls
            .iter()
            .position(|c| (c.0, c.1) == (stage, sequence));
        let place = known.unwrap_or_else(|| {
            self.calls.push((stage, sequence, 0));
            self.calls.len() - 1
        });
        self.calls[place].2 += 1;
        let count = self.calls[place].2;
        let runs = *entry(&mut self.begun, stage);
        match call {
            Call::Effect if count > 1 => Some(Violation::CalledAgain),
            Call::Model | Call::Read if count > runs => Some(Violation::BoughtAgain),
            _ => None,
        }
    }
}

fn entry(counts: &mut Vec<u8>, stage: u8) -> &mut u8 {
    let place = usize::from(stage);
    if counts.len() <= place {
        counts.resize(place + 1, 0);
    }
    &mut counts[place]
}
