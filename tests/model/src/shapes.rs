//! Chains of the model's sessions.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use tarsy_chain::{
    BranchSource, Branches, ChainDefinition, Graph, Join, OnRunbookError, StageDefinition,
    StageKind, Success, WaitStage, ancestors, has_late_results,
};
use tarsy_model::{Role, WaitSort};

use crate::calls::{Call, SCRIPT};

/// Chain, by its index in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Shape(u8);

impl Shape {
    /// Three parallel stages, and a stage that needs them: `a`, then `b`, `c`, `d` in parallel, then `e`.
    pub const FAN: Self = Self(3);
    /// Two parallel stages. The first one that ran makes the last stage due.
    pub const RACE: Self = Self(4);
    /// A stage with two replicas, between two other stages.
    pub const REPLICAS: Self = Self(5);
    /// A stage with two replicas that settles when the first one completes, and a stage after it.
    pub const ANY: Self = Self(6);
    /// A gate that a person decides, and a stage that runs if the gate is approved.
    pub const GATE: Self = Self(7);
    /// A signal and a timer in parallel, and a stage that runs if the signal came.
    pub const SIGNAL: Self = Self(8);
    /// Depending on the status of the first stage, one of two stages is skipped. The last stage needs both.
    pub const ROUTE: Self = Self(9);
    /// A stage with a branch for each item of a list that the previous stage found.
    pub const EACH: Self = Self(10);
    /// A stage whose agent needs approval for its call, and a stage after it.
    pub const CALL: Self = Self(11);
    /// Two last stages. Both ends find that the session can end.
    pub const LEAVES: Self = Self(12);
    /// A gate in parallel with a stage that needs approval for its call, and a stage that needs both.
    pub const GATE_AND_APPROVAL: Self = Self(13);
    /// A stage that dispatches a child and waits for it, and a stage after it.
    pub const LEAD: Self = Self(14);
    /// A stage that dispatches more children than allowed, one of which also has children.
    pub const LEADS: Self = Self(15);
    /// A stage that dispatches a child and cancels it.
    pub const FICKLE: Self = Self(16);
    /// A stage that asks the model, dispatches a child with the same chain, and waits for it.
    pub const NEST: Self = Self(17);
    /// Number of shapes.
    pub const COUNT: u8 = 18;

    /// Returns a chain of this many stages in a row, at most three.
    #[must_use]
    pub const fn straight(stages: u8) -> Self {
        Self(stages - 1)
    }

    /// Returns a shape by its number, below [`Shape::COUNT`].
    #[must_use]
    pub const fn nth(n: u8) -> Self {
        Self(n)
    }

    pub(crate) fn chain(self) -> &'static ChainDefinition {
        &self.resolved().chain
    }

    /// Returns the number of stages.
    #[must_use]
    pub fn stages(self) -> u8 {
        u8::try_from(self.resolved().chain.stages.len()).unwrap_or(u8::MAX)
    }

    pub(crate) fn stage(self, index: u8) -> &'static StageDefinition {
        &self.chain().stages[usize::from(index)]
    }

    pub(crate) fn needs(self, index: u8) -> &'static [u8] {
        &self.resolved().needs[usize::from(index)]
    }

    pub(crate) fn ancestors(self, index: u8) -> &'static [u8] {
        &self.resolved().ancestors[usize::from(index)]
    }

    /// Whether a stage can start before all stages that it needs have ended.
    pub(crate) fn is_late(self) -> bool {
        self.resolved().is_late
    }

    /// Returns what a stage waits for; `None` if the stage is run.
    pub(crate) fn gate(self, index: u8) -> Option<WaitSort> {
        Some(match self.stage(index).kind.as_wait()? {
            WaitStage::Approval { .. } => WaitSort::Approval,
            WaitStage::Timer { .. } => WaitSort::Timer,
            WaitStage::Signal { .. } => WaitSort::Signal,
        })
    }

    /// Whether a stage's agent needs approval for a call that may not be repeated.
    pub(crate) fn needs_approval(self, index: u8) -> bool {
        self.stage(index).name.starts_with("ask")
    }

    /// Returns the calls of a stage's agent. Agents of ordinary stages make the first `calls` of [`SCRIPT`].
    pub(crate) fn script(self, index: u8, calls: usize) -> &'static [Call] {
        match self.stage(index).name.as_str() {
            "lead" => &[Call::Dispatch, Call::Await],
            "leads" => &[
                Call::Dispatch,
                Call::Dispatch,
                Call::Dispatch,
                Call::Await,
                Call::Effect,
            ],
            "fickle" => &[Call::Dispatch, Call::Cancel, Call::Await],
            "nest" => &[Call::Model, Call::Dispatch, Call::Await],
            _ => &SCRIPT[..calls],
        }
    }

    /// Returns the chain of the child that a call of a stage dispatches.
    pub(crate) fn child(self, index: u8, sequence: usize) -> Self {
        match (self.stage(index).name.as_str(), sequence) {
            ("leads", 0) | ("nest", _) => Self::NEST,
            _ => Self::straight(1),
        }
    }

    fn resolved(self) -> &'static Resolved {
        &SHAPES[usize::from(self.0)]
    }
}

struct Resolved {
    chain: ChainDefinition,
    needs: Vec<Vec<u8>>,
    ancestors: Vec<Vec<u8>>,
    is_late: bool,
}

static SHAPES: LazyLock<Vec<Resolved>> =
    LazyLock::new(|| shapes().into_iter().map(resolved).collect());

fn shapes() -> [Vec<StageDefinition>; Shape::COUNT as usize] {
    let any = |stage: StageDefinition| StageDefinition {
        join: Join::Any,
        ..stage
    };
    let signal = WaitStage::Signal {
        name: "go".to_owned(),
        expires_ms: 1,
    };
    let replicas = |success| Branches {
        source: BranchSource::Replicas(2),
        success,
    };
    let each = Branches {
        source: BranchSource::Each("stages.a.data.hosts".to_owned()),
        success: Success::All,
    };
    [
        vec![after("a", &[])],
        vec![after("a", &[]), after("b", &["a"])],
        vec![after("a", &[]), after("b", &["a"]), after("c", &["b"])],
        vec![
            after("a", &[]),
            after("b", &["a"]),
            after("c", &["a"]),
            after("d", &["a"]),
            after("e", &["b", "c", "d"]),
        ],
        vec![
            after("a", &[]),
            after("b", &[]),
            any(after("c", &["a", "b"])),
            after("d", &["c"]),
        ],
        vec![
            after("a", &[]),
            branches(after("b", &["a"]), replicas(Success::All)),
            after("c", &["b"]),
        ],
        vec![
            branches(after("a", &[]), replicas(Success::Any)),
            after("b", &["a"]),
        ],
        vec![
            wait("gate", &[], approval()),
            when(after("fix", &["gate"]), "stages.gate.data.approved"),
        ],
        vec![
            wait("signal", &[], signal),
            wait("timer", &[], WaitStage::Timer { after_ms: 1 }),
            when(after("go", &["signal", "timer"]), "stages.signal.data.go"),
        ],
        vec![
            after("a", &[]),
            when(after("b", &["a"]), "stages.a.status == 'completed'"),
            when(after("c", &["a"]), "stages.a.status == 'failed'"),
            after("d", &["b", "c"]),
        ],
        vec![
            after("a", &[]),
            branches(after("b", &["a"]), each),
            after("c", &["b"]),
        ],
        vec![after("ask", &[]), after("b", &["ask"])],
        vec![after("a", &[]), after("b", &["a"]), after("c", &["a"])],
        vec![
            after("ask", &[]),
            wait("gate", &[], approval()),
            after("c", &["ask", "gate"]),
        ],
        vec![after("lead", &[]), after("b", &["lead"])],
        vec![after("leads", &[])],
        vec![after("fickle", &[])],
        vec![after("nest", &[])],
    ]
}

fn after(name: &str, needs: &[&str]) -> StageDefinition {
    StageDefinition {
        needs: Some(needs.iter().map(|&need| need.to_owned()).collect()),
        ..StageDefinition::new(name, "x")
    }
}

fn when(stage: StageDefinition, condition: &str) -> StageDefinition {
    StageDefinition {
        when: Some(condition.to_owned()),
        ..stage
    }
}

fn branches(stage: StageDefinition, branches: Branches) -> StageDefinition {
    StageDefinition {
        branches: Some(branches),
        ..stage
    }
}

fn wait(name: &str, needs: &[&str], wait: WaitStage) -> StageDefinition {
    StageDefinition {
        kind: StageKind::Wait(wait),
        ..after(name, needs)
    }
}

const fn approval() -> WaitStage {
    WaitStage::Approval {
        role: Role::Operator,
        expires_ms: 1,
    }
}

#[expect(
    clippy::expect_used,
    reason = "a chain of the model that can't be run is a mistake of the model"
)]
fn resolved(stages: Vec<StageDefinition>) -> Resolved {
    let chain = ChainDefinition {
        chain_id: String::new(),
        alert_types: Vec::new(),
        stages,
        description: None,
        llm_provider: None,
        on_runbook_error: OnRunbookError::Continue,
        chat: None,
        labels: Vec::new(),
    };
    let graph = Graph::new(&chain)
        .map_err(|mistakes| format!("{mistakes:?}"))
        .expect("a chain that can be run");
    let small = |index: usize| u8::try_from(index).expect("few stages");
    let needs =
        (0..graph.len()).map(|index| graph.needs(index).iter().copied().map(small).collect());
    let ancestors = (0..graph.len()).map(|index| {
        let all: BTreeSet<usize> = ancestors(&chain.stages, index);
        all.into_iter().map(small).collect()
    });
    Resolved {
        needs: needs.collect(),
        ancestors: ancestors.collect(),
        is_late: has_late_results(&chain.stages),
        chain,
    }
}
