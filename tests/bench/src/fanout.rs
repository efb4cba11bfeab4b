//! Latency of three branches with their fan-in on an idle fleet, compared with a straight chain of the same depth.

use anyhow::Result;
use serde_json::{Value, json};

use crate::database;
use crate::fleet::{self, Member};
use crate::hop::Watched;
use crate::report::Figure;

/// Goal: this many times the straight chain.
const GOAL: f64 = 1.6;

/// Number of consecutive chains of one kind. The kinds alternate, so that both run in the same state of the machine.
const TURN: usize = 50;

/// Options.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Number of chains of each kind
    #[arg(long, default_value_t = 300)]
    chains: usize,
}

/// Three stages in a row.
fn linear() -> Value {
    json!([stage("collect"), stage("analyse"), stage("report")])
}

/// One stage, three stages that need it, and one stage that needs these three.
fn fan_out() -> Value {
    json!([
        stage("collect"),
        needing("logs", &["collect"]),
        needing("metrics", &["collect"]),
        needing("cluster", &["collect"]),
        needing("report", &["logs", "metrics", "cluster"]),
    ])
}

fn stage(name: &str) -> Value {
    json!({"name": name, "agent": "idle", "pool": "default"})
}

fn needing(name: &str, needs: &[&str]) -> Value {
    let mut stage = stage(name);
    stage["needs"] = json!(needs);
    stage
}

pub(crate) async fn measure(options: &Options) -> Result<Vec<Figure>> {
    let db = database::fresh().await?;
    let pool = database::pool(db.url(), 4).await?;
    let _chain = Member::start(db.url(), &["--chain", "--slots", "16"])?;
    let _stage = Member::start(db.url(), &["--stage", "--slots", "16"])?;
    fleet::ready(&pool, 2).await?;
    let intake = fleet::Accepting::start(&pool)?;
    let watched = Watched {
        url: db.url(),
        done: "select exists (select from stage_executions e where e.session_id = s.session_id
                                and stage_name = 'report' and e.status = 'completed'), status = 'completed'
               from alert_sessions s where session_id = $1",
    };
    let (mut in_a_row, mut fanned) = (Vec::new(), Vec::new());
    let mut left = options.chains;
    while left > 0 {
        let turn = left.min(TURN);
        left -= turn;
        for (chain, into) in [(linear(), &mut in_a_row), (fan_out(), &mut fanned)] {
            let submit = async || intake.accept(fleet::session_of(&chain)?).await;
            into.push(watched.measure(turn, submit).await?);
        }
    }
    let (in_a_row, fanned) = (
        crate::hop::Hops::merge(in_a_row),
        crate::hop::Hops::merge(fanned),
    );
    let figure = |name, value, limit| Figure::new(name, value, "ms", limit);
    let goal = |linear: f64| Some(linear * GOAL);
    Ok(vec![
        figure("fanout_straight_p50", in_a_row.stages(0.50), None),
        figure("fanout_straight_p99", in_a_row.stages(0.99), None),
        figure(
            "fanout_p50",
            fanned.stages(0.50),
            goal(in_a_row.stages(0.50)),
        ),
        figure(
            "fanout_p99",
            fanned.stages(0.99),
            goal(in_a_row.stages(0.99)),
        ),
        Figure::new(
            "fanout_times_straight",
            fanned.stages(0.50) / in_a_row.stages(0.50),
            "x",
            Some(GOAL),
        ),
    ])
}
