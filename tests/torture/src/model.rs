//! The fake model: scripted replies with several behaviours, such as slow or failing.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context as _, Result};
use chrono::{DateTime, TimeDelta, Utc};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, FakeLlm, SeenRequest, WireFormat};
use url::Url;

/// Secret that must not reach a model, a row or a log.
pub(crate) const CANARY: &str = "TORTURE-canary-5up3r-s3cret";

/// Behaviour of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Mode {
    /// Answers in 100 ms.
    Good,
    /// Answers in 2 s.
    Slow,
    /// Never answers.
    Hanging,
    /// Every third answer is an HTML page, half an answer, or 429.
    Garbage,
    /// Every answer is a 500.
    Failing,
}

impl Mode {
    pub(crate) const BAD: [Self; 4] = [Self::Slow, Self::Hanging, Self::Garbage, Self::Failing];
}

/// Upper bound of the time to send an answer.
const GIVING: TimeDelta = TimeDelta::seconds(3);

/// The fake provider with its records.
pub(crate) struct TheModel {
    server: FakeLlm,
    mode: Arc<AtomicU8>,
    seen: Arc<Mutex<Seen>>,
}

/// Records of the provider.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// Complete answers by interaction: when each began.
    pub(crate) answers: BTreeMap<String, Vec<DateTime<Utc>>>,
    /// Periods in which no answer could reach a worker.
    pub(crate) out_of_reach: Vec<(DateTime<Utc>, DateTime<Utc>)>,
    /// Requests of any kind.
    pub(crate) requests: usize,
    /// Requests that contained the canary.
    pub(crate) canaries: usize,
}

impl Seen {
    /// Returns when an interaction was answered. Answers sent during a partition don't count, because they were lost
    /// and the worker asks again.
    pub(crate) fn arrived(&self, answers: &[DateTime<Utc>]) -> Vec<DateTime<Utc>> {
        let lost = |at: &DateTime<Utc>| {
            let mut times = self.out_of_reach.iter();
            times.any(|(from, to)| *at <= *to && *at + GIVING >= *from)
        };
        answers.iter().copied().filter(|at| !lost(at)).collect()
    }
}

impl TheModel {
    /// Starts the provider. With `quirks`, every second answer has a slightly unusual form, chosen by this seed.
    pub(crate) async fn start(quirks: Option<u64>) -> Result<Self> {
        let (mode, seen) = (
            Arc::new(AtomicU8::new(0)),
            Arc::new(Mutex::new(Seen::default())),
        );
        let (modes, log) = (Arc::clone(&mode), Arc::clone(&seen));
        let server = FakeLlm::start(move |request| {
            react(request, modes.load(Ordering::SeqCst), quirks, &log)
        })
        .await?;
        Ok(Self { server, mode, seen })
    }

    pub(crate) fn url(&self) -> String {
        self.server.base_url(WireFormat::OpenAi)
    }

    /// Port of the server.
    pub(crate) fn port(&self) -> Result<u16> {
        let url = Url::parse(&self.server.admin_url())?;
        url.port().context("the model's address has no port")
    }

    /// URL for clearing recorded requests; a long run does so now and then.
    pub(crate) fn admin_url(&self) -> String {
        self.server.admin_url()
    }

    pub(crate) fn set(&self, mode: Mode) {
        self.mode.store(mode as u8, Ordering::SeqCst);
    }

    /// Records that no packet passed between the model and the fleet from `from` until now.
    pub(crate) fn was_out_of_reach(&self, from: DateTime<Utc>) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.out_of_reach.push((from, Utc::now()));
    }

    pub(crate) fn seen<T>(&self, read: impl FnOnce(&Seen) -> T) -> T {
        read(&self.seen.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn react(request: &SeenRequest, mode: u8, quirks: Option<u64>, seen: &Mutex<Seen>) -> Behaviour {
    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
    seen.requests += 1;
    seen.canaries += usize::from(request.contains(CANARY));
    let text = line(request);
    let answer = |delay_ms| {
        Behaviour::Answer(FakeAnswer {
            delay_ms,
            ..FakeAnswer::text(text.clone())
        })
    };
    let mode = Mode::BAD
        .into_iter()
        .find(|bad| *bad as u8 == mode)
        .unwrap_or(Mode::Good);
    let behaviour = match (mode, seen.requests % 9) {
        (Mode::Slow, _) => answer(2_000),
        (Mode::Hanging, _) => Behaviour::Hang,
        (Mode::Failing, _) => Behaviour::fail(500, "the provider is on fire"),
        (Mode::Garbage, 0) => Behaviour::Html,
        (Mode::Garbage, 3) => Behaviour::Cut(FakeAnswer::text(text)),
        (Mode::Garbage, 6) => Behaviour::rate_limited(1),
        (Mode::Good | Mode::Garbage, _) => answer(100),
    };
    let behaviour = match (
        behaviour,
        quirks.and_then(|seed| quirk(seed, seen.requests)),
    ) {
        (Behaviour::Answer(answer), Some(quirk)) => Behaviour::Odd { answer, quirk },
        (behaviour, _) => behaviour,
    };
    if let (Behaviour::Answer(_) | Behaviour::Odd { .. }, Some(id)) =
        (&behaviour, &request.request_id)
    {
        seen.answers.entry(id.clone()).or_default().push(Utc::now());
    }
    behaviour
}

/// Returns the quirk of a request's answer; `None` for every second answer.
fn quirk(seed: u64, request: usize) -> Option<usize> {
    let mut hash = DefaultHasher::new();
    (seed, request).hash(&mut hash);
    let drawn = usize::try_from(hash.finish() >> 32).unwrap_or_default();
    drawn.is_multiple_of(2).then_some(drawn / 2)
}

/// Result of a triage stage.
const TRIAGE: &str = r#"{"severity": "critical", "hosts": ["one", "two"]}"#;

/// Returns the reply of a good model. A resumed stage gets the same reply.
fn line(request: &SeenRequest) -> String {
    let is = |who: &str| request.contains(who);
    let call_of = |server: &str, tool: &str| {
        let incident = incident(request).unwrap_or_else(|| "incident-unknown".to_owned());
        format!(
            "Thought: Go on.\nAction: {server}.{tool}\nAction Input: {{\"incident\": \"{incident}\"}}"
        )
    };
    let call = |tool: &str| call_of("ledger", tool);
    match request.assistant_turns() {
        _ if is("You are the triage of") => TRIAGE.to_owned(),
        0 if is("You are the looker.") => call("look"),
        0 if is("You are the guarded collector.") => call_of("guarded", "look"),
        1 if is("You are the guarded collector.") => call_of("guarded", "act"),
        0 if is("You are the poisoner.") => call("poison"),
        0 if is("You are the collector.") => call("look"),
        1 if is("You are the collector.") => call("act"),
        _ if is("You are the reporter.") => {
            "The incident was looked at and acted on once.".to_owned()
        }
        _ => "Final Answer: it answered 503 and was acted on".to_owned(),
    }
}

fn incident(request: &SeenRequest) -> Option<String> {
    let text = request.messages.iter().find_map(|message| {
        let start = message.text.find("incident-")?;
        message.text.get(start..)
    })?;
    Some(
        text.chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '-')
            .collect(),
    )
}
