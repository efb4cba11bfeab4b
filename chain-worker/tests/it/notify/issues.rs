//! Tests issues, against fakes that speak the wire formats of Jira (Cloud, Data Center) and GitHub.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tarsy_chain_worker::Target;
use tarsy_config::{IssueTracker, NotificationFormat, Secret, WriteBack};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::write_back::{end_session, hurry};
use super::{Rig, is_whole};

/// The tracker that is faked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Cloud,
    DataCenter,
    GitHub,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Cloud, Self::DataCenter, Self::GitHub];

    const fn authorization(self) -> &'static str {
        match self {
            // bot@example.com:k-1
            Self::Cloud => "authorization: Basic Ym90QGV4YW1wbGUuY29tOmstMQ==",
            Self::DataCenter | Self::GitHub => "authorization: Bearer k-1",
        }
    }

    const fn paths(self) -> (&'static str, &'static str) {
        match self {
            Self::Cloud => ("POST /rest/api/2/issue ", "GET /rest/api/3/search/jql?"),
            Self::DataCenter => ("POST /rest/api/2/issue ", "GET /rest/api/2/search?"),
            Self::GitHub => (
                "POST /repos/example/ops/issues ",
                "GET /repos/example/ops/issues?state=all",
            ),
        }
    }
}

/// A fake tracker that keeps its issues.
#[derive(Clone)]
struct FakeTracker {
    kind: Kind,
    issues: Arc<Mutex<Vec<Value>>>,
    /// Heads of the next answers. `None`: the issue is created, but the answer is lost.
    next: Arc<Mutex<Vec<Option<&'static str>>>>,
    lines: Arc<Mutex<Vec<String>>>,
}

impl FakeTracker {
    async fn start(kind: Kind, next: &[Option<&'static str>]) -> (Self, String) {
        let fake = Self {
            kind,
            issues: Arc::default(),
            next: Arc::new(Mutex::new(next.iter().rev().copied().collect())),
            lines: Arc::default(),
        };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let served = fake.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                served.answer(stream).await;
            }
        });
        (fake, url)
    }

    async fn answer(&self, mut stream: TcpStream) {
        let mut request = Vec::new();
        while !is_whole(&request) {
            let mut chunk = [0; 4096];
            let read = stream.read(&mut chunk).await.unwrap();
            if read == 0 {
                return;
            }
            request.extend_from_slice(&chunk[..read]);
        }
        let request = String::from_utf8(request).unwrap();
        let (head, body) = request.split_once("\r\n\r\n").unwrap();
        let Some((status, answer)) = self.judge(head, body) else {
            return;
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{answer}",
            answer.len()
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
    }

    /// Returns the status line with further headers, and the body. `None`: the answer is lost.
    fn judge(&self, head: &str, body: &str) -> Option<(String, String)> {
        let line = head.lines().next().unwrap().to_owned();
        self.lines.lock().unwrap().push(line.clone());
        let has = |header: &str| head.lines().any(|line| line.eq_ignore_ascii_case(header));
        if !has(self.kind.authorization()) || !has("user-agent: tarsy") {
            return Some(("401 x".to_owned(), r#"{"message": "secret"}"#.to_owned()));
        }
        let (create, search) = self.kind.paths();
        let mut issues = self.issues.lock().unwrap();
        if line.starts_with(search) {
            let found = match self.kind {
                Kind::GitHub => json!(*issues),
                _ => json!({"issues": *issues}),
            };
            return Some(("200 x".to_owned(), found.to_string()));
        }
        if !line.starts_with(create) {
            return Some(("404 x".to_owned(), String::new()));
        }
        let issue: Value = serde_json::from_str(body).unwrap();
        match self.next.lock().unwrap().pop() {
            Some(Some(refusal)) => return Some((refusal.to_owned(), String::new())),
            Some(None) => {
                issues.push(issue);
                return None;
            }
            None => issues.push(issue),
        }
        Some((
            "201 x".to_owned(),
            r#"{"key": "OPS-1", "number": 1}"#.to_owned(),
        ))
    }

    fn issues(&self) -> Vec<Value> {
        self.issues.lock().unwrap().clone()
    }
}

fn target(url: &str, kind: Kind) -> Target {
    let labels = vec!["tarsy".to_owned()];
    let (format, issues) = match kind {
        Kind::GitHub => (
            NotificationFormat::GithubIssue,
            IssueTracker::Github {
                repository: "example/ops".to_owned(),
                labels,
            },
        ),
        _ => (
            NotificationFormat::Jira,
            IssueTracker::Jira {
                project: "OPS".to_owned(),
                issue_type: "Task".to_owned(),
                user: (kind == Kind::Cloud).then(|| "bot@example.com".to_owned()),
                labels,
            },
        ),
    };
    Target {
        format,
        secret: None,
        write_back: Some(WriteBack {
            token: Some(Secret::new("k-1")),
            from: None,
            resolves: false,
            incident_sources: Vec::new(),
            issues: Some(issues),
        }),
        ..super::target(url, true)
    }
}

#[tokio::test]
async fn a_session_makes_one_issue_although_the_answer_was_lost() {
    for kind in Kind::ALL {
        let limited = match kind {
            Kind::GitHub => "403 x\r\nretry-after: 1",
            _ => "429 x\r\nretry-after: 1",
        };
        let (fake, url) = FakeTracker::start(kind, &[Some(limited), None]).await;
        let rig = Rig::start_with(target(&url, kind)).await;
        end_session(&rig, "", 1).await;
        assert_eq!(rig.state().await.0, "pending", "{kind:?}");

        hurry(&rig).await;
        rig.attempts(2).await;
        let (state, _, response, error) = rig.state().await;
        assert_eq!((state.as_str(), error), ("delivered", None), "{kind:?}");
        assert_eq!(response, Some(200), "it was found, not made");
        let issues = fake.issues();
        assert_eq!(issues.len(), 1, "{issues:#?}");
        let text = issues[0].to_string();
        for expected in [
            "Analysis of kubernetes (critical) completed",
            "all is well",
            "https://tarsy.example/dashboard/sessions/",
            "\"tarsy\"",
        ] {
            assert!(text.contains(expected), "{expected}: {text}");
        }

        // A first delivery does not search.
        let (fake, url) = FakeTracker::start(kind, &[]).await;
        let rig = Rig::start_with(target(&url, kind)).await;
        end_session(&rig, "", 1).await;
        assert_eq!(rig.state().await.2, Some(201));
        assert_eq!(fake.lines.lock().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn what_a_tracker_will_never_take_fails_at_once() {
    for refusal in ["400 x", "404 x", "410 x", "422 x"] {
        let (fake, url) = FakeTracker::start(Kind::GitHub, &[Some(refusal)]).await;
        let rig = Rig::start_with(target(&url, Kind::GitHub)).await;
        end_session(&rig, "", 1).await;
        let (state, _, _, error) = rig.state().await;
        assert_eq!(state, "failed", "{refusal}: {error:?}");
        assert!(fake.issues().is_empty());
    }
    // Not so a refused key, because it can be replaced.
    let (_fake, url) = FakeTracker::start(Kind::Cloud, &[]).await;
    let rig = Rig::start_with(target(&url, Kind::DataCenter)).await;
    end_session(&rig, "", 1).await;
    let (state, _, status, error) = rig.state().await;
    assert_eq!((state.as_str(), status), ("pending", Some(401)));
    assert!(!error.unwrap().contains("secret"));
}
