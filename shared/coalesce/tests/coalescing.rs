//! Guarantees to concurrent requesters.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tarsy_coalesce::{Batch, Coalescer, Error, GroupLimits};
use tokio::sync::Semaphore;

#[derive(Debug, thiserror::Error)]
#[error("disk full")]
struct DiskFull;

/// A flush that waits for one permit per batch and records the batches it received.
struct Gate {
    permits: Arc<Semaphore>,
    batches: Arc<Mutex<Vec<Vec<u32>>>>,
    started: Arc<AtomicUsize>,
}

impl Gate {
    fn new() -> Self {
        Self {
            permits: Arc::new(Semaphore::new(0)),
            batches: Arc::default(),
            started: Arc::default(),
        }
    }

    /// Doubles each number. 13 fails the batch, 99 panics, and 7 gets no response.
    fn coalescer(&self, limits: GroupLimits) -> Coalescer<u32, u32, DiskFull> {
        let (permits, batches, started) = (
            Arc::clone(&self.permits),
            Arc::clone(&self.batches),
            Arc::clone(&self.started),
        );
        Coalescer::new(limits, move |batch: Vec<u32>| {
            let (permits, batches) = (Arc::clone(&permits), Arc::clone(&batches));
            started.fetch_add(1, Ordering::SeqCst);
            async move {
                permits.acquire().await.expect("never closed").forget();
                batches.lock().expect("no panic inside").push(batch.clone());
                assert!(!batch.contains(&99), "poisoned batch");
                if batch.contains(&13) {
                    return Err(DiskFull);
                }
                let short = usize::from(batch.contains(&7));
                let answers = batch.iter().map(|n| n * 2);
                Ok(answers.take(batch.len() - short).collect())
            }
        })
    }

    async fn until_started(&self, flushes: usize) {
        while self.started.load(Ordering::SeqCst) < flushes {
            tokio::task::yield_now().await;
        }
    }

    fn sizes(&self) -> Vec<usize> {
        let batches = self.batches.lock().expect("no panic inside");
        batches.iter().map(Vec::len).collect()
    }
}

/// Submits all of `numbers` at the same time. They are queued, in order, when this returns.
async fn submit_all(
    coalescer: &Coalescer<u32, u32, DiskFull>,
    numbers: impl IntoIterator<Item = u32>,
) -> Vec<tokio::task::JoinHandle<Result<u32, Error<DiskFull>>>> {
    let handles = numbers
        .into_iter()
        .map(|n| {
            let coalescer = coalescer.clone();
            tokio::spawn(async move { coalescer.submit(n).await })
        })
        .collect();
    // The runtime is single-threaded: one yield polls every submitter once.
    tokio::task::yield_now().await;
    tokio::task::yield_now().await;
    handles
}

#[tokio::test]
async fn a_lone_request_goes_alone_and_those_behind_it_share_the_next_flush() {
    let gate = Gate::new();
    let coalescer = gate.coalescer(GroupLimits::default());
    let first = submit_all(&coalescer, [1]).await;
    gate.until_started(1).await;
    let rest = submit_all(&coalescer, 2..=6).await;
    gate.permits.add_permits(2);

    for (handle, n) in first.into_iter().chain(rest).zip(1..) {
        assert_eq!(handle.await.expect("no panic").expect("flushed"), n * 2);
    }
    assert_eq!(gate.sizes(), [1, 5]);
}

#[tokio::test]
async fn a_batch_is_never_larger_than_the_limit() {
    let gate = Gate::new();
    let coalescer = gate.coalescer(GroupLimits {
        max_batch: 4,
        ..GroupLimits::default()
    });
    let handles = submit_all(&coalescer, 20..30).await;
    gate.permits.add_permits(10);
    for handle in handles {
        handle.await.expect("no panic").expect("flushed");
    }
    assert_eq!(gate.sizes(), [4, 4, 2]);
}

#[tokio::test]
async fn two_flushes_may_overlap_when_allowed_and_no_more() {
    let gate = Gate::new();
    let coalescer = gate.coalescer(GroupLimits {
        max_batch: 1,
        max_flushes: 2,
        ..GroupLimits::default()
    });
    let handles = submit_all(&coalescer, 1..=3).await;
    gate.until_started(2).await;
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    assert_eq!(gate.started.load(Ordering::SeqCst), 2, "third must wait");
    gate.permits.add_permits(3);
    for handle in handles {
        handle.await.expect("no panic").expect("flushed");
    }
}

#[tokio::test]
async fn a_second_flush_starts_for_enough_requests_and_the_first_takes_what_is_left() {
    let gate = Gate::new();
    let coalescer = gate.coalescer(GroupLimits {
        max_flushes: 2,
        overlap_from: 3,
        ..GroupLimits::default()
    });
    let mut handles = submit_all(&coalescer, [1]).await;
    gate.until_started(1).await;
    handles.extend(submit_all(&coalescer, [2, 3]).await);
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    assert_eq!(gate.started.load(Ordering::SeqCst), 1, "two are too few");
    handles.extend(submit_all(&coalescer, [4]).await);
    gate.until_started(2).await;
    handles.extend(submit_all(&coalescer, [5]).await);
    gate.permits.add_permits(3);
    for (handle, n) in handles.into_iter().zip(1..) {
        assert_eq!(handle.await.expect("no panic").expect("flushed"), n * 2);
    }
    assert_eq!(gate.sizes(), [1, 3, 1]);
}

#[tokio::test]
async fn an_error_reaches_everyone_in_its_batch_and_nobody_else() {
    let gate = Gate::new();
    let coalescer = gate.coalescer(GroupLimits::default());
    let handles = submit_all(&coalescer, [12, 13, 14]).await;
    gate.permits.add_permits(2);
    for handle in handles {
        let error = handle.await.expect("no panic").expect_err("batch failed");
        assert!(matches!(error, Error::Flush(_)), "{error:?}");
    }
    assert_eq!(coalescer.submit(15).await.expect("new batch"), 30);
}

#[tokio::test]
async fn a_panicking_flush_answers_lost_and_the_next_one_works() {
    let gate = Gate::new();
    let coalescer = gate.coalescer(GroupLimits::default());
    gate.permits.add_permits(2);
    let lost = coalescer.submit(99).await.expect_err("panicked");
    assert!(matches!(lost, Error::Lost));
    assert_eq!(coalescer.submit(1).await.expect("works again"), 2);
}

#[tokio::test]
async fn a_request_without_an_answer_is_lost_not_hanging() {
    let gate = Gate::new();
    let coalescer = gate.coalescer(GroupLimits::default());
    gate.permits.add_permits(1);
    assert!(matches!(coalescer.submit(7).await, Err(Error::Lost)));
}

#[tokio::test]
async fn a_requester_that_goes_away_does_not_disturb_the_others() {
    let gate = Gate::new();
    let coalescer = gate.coalescer(GroupLimits::default());
    let handles = submit_all(&coalescer, 1..=3).await;
    gate.until_started(1).await;
    handles[0].abort();
    gate.permits.add_permits(1);
    let mut handles = handles.into_iter();
    assert!(handles.next().expect("three").await.is_err(), "aborted");
    for (handle, n) in handles.zip(2..) {
        assert_eq!(handle.await.expect("no panic").expect("flushed"), n * 2);
    }
    assert_eq!(gate.sizes(), [3], "the abandoned request was still flushed");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn under_load_every_requester_gets_its_own_answer() {
    let coalescer = Coalescer::new(GroupLimits::default(), |batch: Vec<u32>| async move {
        tokio::task::yield_now().await;
        Ok::<_, DiskFull>(batch.into_iter().map(|n| n + 1).collect())
    });
    let handles: Vec<_> = (0..2_000)
        .map(|n| {
            let coalescer = coalescer.clone();
            tokio::spawn(async move { (n, coalescer.submit(n).await) })
        })
        .collect();
    for handle in handles {
        let (n, answer) = handle.await.expect("no panic");
        assert_eq!(answer.expect("flushed"), n + 1);
    }
}

/// Refuses a batch that contains a number above a hundred; doubles others, and counts the attempts.
fn isolating(tries: &Arc<AtomicUsize>) -> Coalescer<u32, u32, DiskFull> {
    let limits = GroupLimits {
        max_batch: 256,
        ..GroupLimits::default()
    };
    let tries = Arc::clone(tries);
    Coalescer::isolating(
        limits,
        |_| true,
        move |batch: Batch<u32>| {
            tries.fetch_add(1, Ordering::SeqCst);
            async move {
                match batch.iter().any(|n| *n > 100) {
                    true => Err(DiskFull),
                    false => Ok(batch.iter().map(|n| n * 2).collect()),
                }
            }
        },
    )
}

#[tokio::test]
async fn one_that_spoils_its_batch_fails_alone() {
    let tries = Arc::default();
    let coalescer = isolating(&tries);
    let mut numbers: Vec<u32> = (0..100).collect();
    numbers[37] = 137;
    for (handle, n) in submit_all(&coalescer, numbers.clone())
        .await
        .into_iter()
        .zip(numbers)
    {
        match (n, handle.await.expect("no panic")) {
            (137, answer) => assert!(matches!(answer, Err(Error::Flush(_)))),
            (_, answer) => assert_eq!(answer.expect("its neighbours go through"), n * 2),
        }
    }
    let tries = tries.load(Ordering::SeqCst);
    assert!(tries < 20, "{tries} tries for one among a hundred");
}

#[tokio::test]
async fn many_that_spoil_a_batch_cost_hardly_more_than_each_alone() {
    let tries = Arc::default();
    let coalescer = isolating(&tries);
    let numbers: Vec<u32> = (0..100).flat_map(|n| [n, n + 101]).collect();
    for (handle, n) in submit_all(&coalescer, numbers.clone())
        .await
        .into_iter()
        .zip(numbers)
    {
        let answer = handle.await.expect("no panic");
        assert_eq!(answer.ok(), (n <= 100).then_some(n * 2));
    }
    let tries = tries.load(Ordering::SeqCst);
    assert!(tries < 240, "{tries} tries for two hundred");
}

#[tokio::test]
async fn trouble_that_no_request_is_to_blame_for_is_met_once() {
    let tries = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&tries);
    let coalescer = Coalescer::isolating(
        GroupLimits::default(),
        |_| false,
        move |_: Batch<u32>| {
            counted.fetch_add(1, Ordering::SeqCst);
            async { Err::<Vec<u32>, _>(DiskFull) }
        },
    );
    for handle in submit_all(&coalescer, 0..50).await {
        let answer = handle.await.expect("no panic");
        assert!(matches!(answer, Err(Error::Flush(_))));
    }
    assert_eq!(tries.load(Ordering::SeqCst), 1);
}

#[tokio::test(start_paused = true)]
async fn a_flush_that_never_ends_is_given_up_and_holds_nobody_up_before() {
    let gate = Gate::new();
    let coalescer = gate.coalescer(GroupLimits::default());
    let stuck = submit_all(&coalescer, [1]).await;
    gate.until_started(1).await;
    let others = submit_all(&coalescer, [2, 3]).await;
    tokio::time::advance(Duration::from_secs(1)).await;
    gate.until_started(2).await;
    gate.permits.add_permits(2);
    for handle in stuck.into_iter().chain(others) {
        handle.await.expect("no panic").expect("both are flushed");
    }

    let hung = submit_all(&coalescer, [4]).await;
    for handle in hung {
        let answer = handle.await.expect("no panic");
        assert!(matches!(answer, Err(Error::Deadline(_))), "{answer:?}");
    }
    gate.permits.add_permits(1);
    assert_eq!(coalescer.submit(5).await.expect("works again"), 10);
}

#[tokio::test(start_paused = true)]
async fn overdue_flushes_are_few() {
    let gate = Gate::new();
    let coalescer = gate.coalescer(GroupLimits {
        max_batch: 1,
        deadline: Duration::from_secs(3_600),
        ..GroupLimits::default()
    });
    let handles = submit_all(&coalescer, 21..30).await;
    for _ in 0..60 {
        tokio::time::advance(Duration::from_secs(1)).await;
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(
        gate.started.load(Ordering::SeqCst),
        5,
        "four, and one as usual"
    );
    gate.permits.add_permits(9);
    for (handle, n) in handles.into_iter().zip(21..) {
        assert_eq!(handle.await.expect("no panic").expect("flushed"), n * 2);
    }
}
