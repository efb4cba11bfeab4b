//! Evaluation on recorded incidents: cases, a tool server that answers from their records, scores, statistics and reports.
//!
//! Everything here is deterministic: the same sessions give the same report. `tarsy eval` runs the sessions.

mod case;
mod compare;
mod convert;
mod diagnosis;
mod error;
mod judge;
mod lint;
mod replay;
mod report;
mod score;
mod server;
mod session;
mod statistics;
mod summary;
mod text;

pub use case::{Case, Fact, Origin, Record, ToolDefinition, Truth};
pub use compare::{Comparison, compare};
pub use convert::convert;
pub use diagnosis::{Diagnosed, diagnose, diagnosis_markdown};
pub use error::Error;
pub use judge::{JudgeQuestion, Judged, Judgement, VOTES, judge_questions};
pub use lint::{Finding, lint};
pub use replay::Replay;
pub use report::{Report, Settings};
pub use score::{FactScore, Score, score};
pub use server::{DIAGNOSIS_SERVER, DiagnosisServer, ReplayServer};
pub use session::{Call, Session, cost_usd};
pub use statistics::{Interval, bootstrap, mcnemar};
pub use summary::Summary;
