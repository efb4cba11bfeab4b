//! Streams answers of models to the subscribers of their session, while they are generated.
//!
//! If a session is watched, its text is masked and broadcast in pieces, a few times a second. Nothing is sent if no
//! one watches, or if the answer is complete sooner (`docs/decisions/0050-streamed-answers.md`).

mod draft;
mod growing;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use async_trait::async_trait;
use tarsy_agent::{Model, ModelAnswer, ModelProfile};
use tarsy_llm::{AnswerStream, ChatRequest, ModelWithFallbacks};
use tarsy_masking::Masker;
use tarsy_model::{ANSWERS_CHANNEL, SessionId, WATCHING_CHANNEL, WATCHING_SECONDS, Watching};
use tarsy_queue::{Connections, Waker, broadcast, supervise};
use tarsy_store::interactions::StageFence;
use tokio::sync::Notify;
use tokio::time::Instant;

pub(crate) use self::growing::Draft;
use self::growing::{GrowingAnswer, ShownText};

/// Time between two broadcasts of this process.
const EVERY: Duration = Duration::from_millis(200);

/// Maximum time between two checks whether the sender is still needed.
const IDLE: Duration = Duration::from_secs(5);

/// Answers that models are generating in this process. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Answers(Arc<Shared>);

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Whether any session may be watched. If none is, this avoids taking the lock for each token.
    is_anything_watched: AtomicBool,
    grown: Notify,
}

#[derive(Default)]
struct State {
    watched: HashMap<SessionId, Watched>,
    growing: Vec<Weak<GrowingAnswer>>,
}

/// A session that has subscribers.
#[derive(Clone, Copy)]
struct Watched {
    until: Instant,
    /// Number of subscribers that have joined. Each is shown an answer from its beginning.
    joined: u64,
}

impl Answers {
    /// Starts the sender. It learns over `waker` which sessions are watched.
    pub(crate) fn start(connections: &Connections, waker: &Waker) -> Self {
        let shared = Arc::new(Shared::default());
        let receiving = Arc::downgrade(&shared);
        waker.on_broadcast(WATCHING_CHANNEL, move |payload| {
            if let (Some(shared), Ok(watching)) =
                (receiving.upgrade(), serde_json::from_str(payload))
            {
                shared.watch(&watching);
            }
        });
        let (sending, connections) = (Arc::downgrade(&shared), connections.clone());
        tokio::spawn(supervise("sending answers that grow", async move || {
            send(&sending, &connections).await;
        }));
        Self(shared)
    }

    /// Wraps a model so that its answers are streamed as those of a stage.
    pub(crate) fn observe(
        &self,
        model: ModelWithFallbacks,
        fence: StageFence,
        masker: &Arc<Masker>,
    ) -> ObservedModel {
        ObservedModel {
            model,
            fence,
            masker: Arc::clone(masker),
            answers: Some(self.clone()),
            draft: None,
        }
    }

    fn begin(
        &self,
        fence: StageFence,
        request: &ChatRequest,
        masker: &Arc<Masker>,
        draft: Option<&Draft>,
    ) -> Option<Arc<GrowingAnswer>> {
        let interaction_id = request.request_id.parse().ok()?;
        let shared = Arc::downgrade(&self.0);
        let answer = Arc::new(GrowingAnswer::new(
            fence,
            interaction_id,
            match (request.is_data, draft) {
                (false, _) => ShownText::All,
                (true, None) => ShownText::Nothing,
                (true, Some(draft)) => ShownText::Draft(draft.clone()),
            },
            Arc::clone(masker),
            move || {
                if let Some(shared) = shared.upgrade() {
                    shared.notice();
                }
            },
        ));
        let mut state = self.0.state();
        state.growing.retain(|answer| answer.strong_count() > 0);
        state.growing.push(Arc::downgrade(&answer));
        Some(answer)
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watch(&self, watching: &Watching) {
        let until = Instant::now() + Duration::from_secs(WATCHING_SECONDS);
        let mut state = self.state();
        for session in &watching.sessions {
            let watched = state
                .watched
                .entry(*session)
                .or_insert(Watched { until, joined: 0 });
            watched.until = until;
            watched.joined += u64::from(watching.joined);
        }
        drop(state);
        self.is_anything_watched.store(true, Ordering::Relaxed);
        self.notice();
    }

    /// Wakes the sender, because an answer has grown or a subscriber has joined.
    fn notice(&self) {
        if self.is_anything_watched.load(Ordering::Relaxed) {
            self.grown.notify_one();
        }
    }

    /// Returns the answers that are watched, each with the number of subscribers that have joined.
    fn watched(&self) -> Vec<(Arc<GrowingAnswer>, u64)> {
        let now = Instant::now();
        let mut state = self.state();
        state.watched.retain(|_, watched| watched.until > now);
        self.is_anything_watched
            .store(!state.watched.is_empty(), Ordering::Relaxed);
        let growing = state.growing.iter().filter_map(Weak::upgrade);
        growing
            .filter_map(|answer| {
                let watched = state.watched.get(&answer.session_id())?;
                let joined = watched.joined;
                Some((answer, joined))
            })
            .collect()
    }
}

/// Sends the new text of answers, until all handles of the answers are dropped.
async fn send(shared: &Weak<Shared>, connections: &Connections) {
    while let Some(answers) = shared.upgrade() {
        let is_called = tokio::time::timeout(IDLE, answers.grown.notified()).await;
        if is_called.is_err() {
            continue;
        }
        drop(answers);
        // An answer that is complete before this time is never sent in pieces.
        tokio::time::sleep(EVERY).await;
        let Some(answers) = shared.upgrade() else {
            return;
        };
        let mut payloads = Vec::new();
        for (answer, joined) in answers.watched() {
            payloads.extend(answer.news(joined));
            if answer.has_more() {
                answers.grown.notify_one();
            }
        }
        drop(answers);
        if payloads.is_empty() {
            continue;
        }
        let sending =
            connections.run(async |conn| broadcast(conn, ANSWERS_CHANNEL, &payloads).await);
        if let Err(error) = sending.await {
            tracing::debug!(?error, "pieces of answers were not sent");
        }
    }
}

/// A model whose answers are streamed while they are generated.
pub(crate) struct ObservedModel {
    model: ModelWithFallbacks,
    fence: StageFence,
    masker: Arc<Masker>,
    answers: Option<Answers>,
    draft: Option<Draft>,
}

impl ObservedModel {
    /// Wraps a model whose answers are not shown before they are complete.
    pub(crate) fn unobserved(
        model: ModelWithFallbacks,
        fence: StageFence,
        masker: &Arc<Masker>,
    ) -> Self {
        Self {
            model,
            fence,
            masker: Arc::clone(masker),
            answers: None,
            draft: None,
        }
    }

    /// Returns the same model, for answers that are data, of which one member is shown as a draft.
    pub(crate) fn with_draft(self, draft: Option<Draft>) -> Self {
        Self { draft, ..self }
    }
}

#[async_trait]
impl Model for ObservedModel {
    fn profile(&self) -> ModelProfile {
        self.model.profile()
    }

    async fn ask(&self, mut request: ChatRequest) -> ModelAnswer {
        let growing = self.answers.as_ref().and_then(|answers| {
            answers.begin(self.fence, &request, &self.masker, self.draft.as_ref())
        });
        if let Some(growing) = &growing {
            request.stream = AnswerStream::to(Arc::clone(growing) as _);
        }
        let answer = Model::ask(&self.model, request).await;
        drop(growing);
        answer
    }
}

#[cfg(test)]
mod tests;
