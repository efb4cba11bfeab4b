//! Two machines, simulated by network namespaces, share one Postgres. One is cut off in the middle of a stage. The
//! other takes over, and late writes of the first are refused.
//!
//! Needs root and `ip`. If no namespace can be created, it prints a notice and is skipped.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stderr, reason = "says why it was skipped")]

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tarsy_testing::fake_llm::{Behaviour, FakeLlm, SeenRequest, WireFormat};
use tarsy_testing::postgres::{Cluster, Installation};
use tarsy_testing::process::{Process, binary};
use tarsy_testing::{TestDb, tools, wait};
use tarsy_tests::{Fleet, SOON, scene};
use tokio::net::TcpListener;
use url::Url;
use uuid::Uuid;

/// A network namespace connected to this one. Deleted when dropped.
struct Machine {
    name: String,
    /// Address of this side.
    gateway: String,
    address: String,
}

impl Machine {
    /// Creates one. If that is not possible, prints the reason and returns `None`. `place` distinguishes the machines
    /// of a test.
    fn new(place: u32) -> Option<Self> {
        if tools::find("ip").is_none() {
            eprintln!("skipped: `ip` is not installed (Debian: iproute2)");
            return None;
        }
        let run = std::process::id();
        // A network of four addresses in 198.18.0.0/15, which is never routed (RFC 2544).
        let first = (run.wrapping_mul(2) + place) % 0x8000 * 4;
        let address = |host: u32| {
            let number = first + host;
            format!(
                "198.{}.{}.{}",
                18 + (number >> 16),
                (number >> 8) & 0xff,
                number & 0xff
            )
        };
        let machine = Self {
            name: format!("tarsy{place}-{run}"),
            gateway: address(1),
            address: address(2),
        };
        let Self {
            name,
            gateway,
            address,
        } = &machine;
        if !ip(&format!("netns add {name}")) {
            eprintln!("skipped: no network namespace can be made (needs root)");
            return None;
        }
        for command in [
            format!("link add {name} type veth peer name cable netns {name}"),
            format!("address add {gateway}/30 dev {name}"),
            format!("link set {name} up"),
            format!("-netns {name} address add {address}/30 dev cable"),
            format!("-netns {name} link set lo up"),
            format!("-netns {name} link set cable up"),
        ] {
            assert!(ip(&command), "ip {command}");
        }
        Some(machine)
    }

    /// Cuts the cable. Connections stay open on both sides, but no data pass.
    fn cut_off(&self) {
        assert!(ip(&format!("-netns {} link set cable down", self.name)));
    }

    fn join(&self) {
        assert!(ip(&format!("-netns {} link set cable up", self.name)));
    }

    /// Starts a stage worker on it, which connects to Postgres and the model by this side's address.
    fn stage_worker(&self, fleet: &Fleet, llm: &FakeLlm) -> Process {
        let near = |url: &str| {
            let mut url = Url::parse(url).unwrap();
            url.set_host(Some(&self.gateway)).unwrap();
            url.to_string()
        };
        fleet
            .program_at("stage-worker", tools::expect("ip"))
            .arg("netns")
            .arg("exec")
            .arg(&self.name)
            .arg(binary("stage-worker"))
            .env("DATABASE_URL", near(fleet.database_url()))
            .env(
                "TARSY_TEST_LLM_URL",
                near(&llm.base_url(WireFormat::OpenAi)),
            )
            .start()
            .unwrap()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // The cable is deleted with it.
        ip(&format!("netns delete {}", self.name));
    }
}

/// Runs `ip`; returns whether it succeeded.
fn ip(command: &str) -> bool {
    let output = Command::new("ip").args(command.split(' ')).output();
    output.is_ok_and(|output| output.status.success())
}

/// Starts a server that both machines reach.
fn cluster(folder: &Path, machines: &[Machine; 2]) -> Cluster {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tools");
    let installation = Installation::find_or_install(&target, &|_| ()).unwrap();
    let mut cluster = Cluster::start(&installation, folder, &|_| ()).unwrap();
    let hba = cluster.folder().join("data/pg_hba.conf");
    let mut rules = std::fs::read_to_string(&hba).unwrap();
    for machine in machines {
        rules.push_str(&format!("host all all {}/32 password\n", machine.address));
    }
    std::fs::write(&hba, rules).unwrap();
    let gateways = machines.each_ref().map(|machine| &*machine.gateway);
    cluster.listen(&gateways).unwrap();
    cluster
}

/// Starts a model on all addresses. Its second answer is held until the test releases it.
async fn holding_model() -> FakeLlm {
    let requests = AtomicUsize::new(0);
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let answer = move |request: &SeenRequest| {
        let is_second = requests.fetch_add(1, Ordering::SeqCst) == 1;
        match scene::play(request) {
            Behaviour::Answer(answer) if is_second => Behaviour::Held(answer),
            played => played,
        }
    };
    FakeLlm::serve(listener, Arc::new(answer)).unwrap()
}

/// Returns the client addresses of a worker's Postgres sessions, as Postgres sees them.
async fn addresses(fleet: &Fleet, pid: u32) -> Vec<String> {
    let query = "select distinct host(s.client_addr) from pg_stat_activity s join workers w
                     on right(s.application_name, 36) = w.process_id::text
                 where w.pid = $1";
    sqlx::query_scalar(query)
        .bind(i32::try_from(pid).unwrap())
        .fetch_all(fleet.rows.pool())
        .await
        .unwrap()
}

/// Returns the rows of a session that were written under this epoch.
async fn written_under(fleet: &Fleet, session: Uuid, epoch: i64) -> Vec<String> {
    let query = "select row_to_json(l)::text from llm_interactions l where (session_id, claim_epoch) = ($1, $2)
                 union all
                 select row_to_json(m)::text from mcp_interactions m where (session_id, claim_epoch) = ($1, $2)
                 order by 1";
    sqlx::query_scalar(query)
        .bind(session)
        .bind(epoch)
        .fetch_all(fleet.rows.pool())
        .await
        .unwrap()
}

/// How the lease of the cut-off machine ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lease {
    /// It expires. The machine knows that it is cut off and has stopped its stage.
    RunsOut,
    /// It ends early, without the machine's knowledge. The machine continues the stage and tries to write its result.
    Ended,
}

impl Lease {
    fn duration(self) -> &'static str {
        match self {
            Self::RunsOut => "2s",
            // Renewals, from which the machine would learn of it, are a hundred seconds apart.
            Self::Ended => "600s",
        }
    }

    /// Log message of the machine once it is back.
    fn notice(self) -> &'static str {
        match self {
            Self::RunsOut => "this process was taken for dead or frozen",
            Self::Ended => "another worker holds this stage",
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_other_machine_takes_over_when_the_lease_runs_out_and_the_first_comes_back() {
    cut_off_and_come_back(Lease::RunsOut).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_machine_writes_that_was_taken_over_while_it_was_cut_off_is_refused() {
    cut_off_and_come_back(Lease::Ended).await;
}

async fn cut_off_and_come_back(lease: Lease) {
    let (Some(one), Some(two)) = (Machine::new(0), Machine::new(1)) else {
        return;
    };
    let machines = [one, two];
    let folder = tempfile::tempdir_in("/var/tmp").unwrap();
    let cluster = tokio::task::block_in_place(|| cluster(folder.path(), &machines));
    let db = TestDb::create_on(&Url::parse(&cluster.url("postgres")).unwrap())
        .await
        .unwrap();
    let fleet = Fleet::on(db, scene::play)
        .await
        .with("TARSY_LEASE_TTL", lease.duration());
    let llm = holding_model().await;
    let (ingest, _chain) = (fleet.ingest().await, fleet.chain_worker());
    let workers = machines
        .each_ref()
        .map(|machine| machine.stage_worker(&fleet, &llm));
    fleet.workers(3).await;
    for (machine, worker) in machines.iter().zip(&workers) {
        assert_eq!(addresses(&fleet, worker.id()).await, [&*machine.address]);
    }

    let session = fleet.submit(&ingest, "CheckoutDown").await;
    wait::until("the second question", SOON, async || llm.count() == 2).await;
    let holder = fleet.rows.holder(session, SOON).await;
    let first = workers.iter().position(|w| w.id() == holder).unwrap();
    let lost = fleet.rows.stages(session).await[0].claim_epoch.unwrap();
    machines[first].cut_off();

    if lease == Lease::Ended {
        sqlx::query("update jobs set expires_at = clock_timestamp() where kind = 'stage'")
            .execute(fleet.rows.pool())
            .await
            .unwrap();
    }
    // Postgres does not notice that the machine is gone. Its Postgres sessions stay open, but its lease ends.
    let other = fleet.rows.taken_over(session, holder, SOON).await;
    assert_eq!(other, workers[1 - first].id());
    let ended = fleet.rows.ended(session, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");

    let before = written_under(&fleet, session, lost).await;

    // The answer to the first worker is sent, and the cable is back.
    llm.release();
    wait::until("the held answer", SOON, async || llm.requests()[1].answered).await;
    machines[first].join();
    let worker = &workers[first];
    wait::until("the first to notice", SOON * 2, async || {
        worker.log().contains(lease.notice())
    })
    .await;
    let stages = fleet.rows.stages(session).await;
    assert!(stages[0].claim_epoch.unwrap() > lost, "{stages:?}");
    assert_eq!(
        fleet.rows.session(session).await.final_analysis.as_deref(),
        Some(scene::ANALYSIS)
    );
    assert_eq!(llm.count(), scene::QUESTIONS + 1);
    assert_eq!(fleet.ledger.calls("restart_service"), 1);

    // It works again: after the other worker has ended, it alone can run the next alert.
    workers[1 - first].terminate();
    workers[1 - first].ended(SOON).await;
    let next = fleet.submit(&ingest, "CheckoutDown").await;
    let ended = fleet.rows.ended(next, SOON).await;
    assert_eq!(ended.outcome.as_deref(), Some("completed"), "{ended:?}");
    assert!(worker.is_running());
    assert_eq!(written_under(&fleet, session, lost).await, before);
    fleet.assert_sound().await;
}
