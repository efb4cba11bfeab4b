//! Tests notes in the alert's incident, against fakes that speak the wire formats of PagerDuty and Opsgenie.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tarsy_chain_worker::Target;
use tarsy_config::{NotificationFormat, Secret, WriteBack};
use tarsy_testing::wait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use super::{PATIENCE, Rig, is_whole};

const INCIDENT: &str = "PGR0VU2";

/// A fake of both services that keeps the notes of one incident.
#[derive(Clone, Default)]
struct Fake {
    notes: Arc<Mutex<Vec<String>>>,
    /// Results of the next posts. 429 refuses, 0 accepts the note but loses the answer, and others are returned.
    next: Arc<Mutex<Vec<u16>>>,
    lines: Arc<Mutex<Vec<String>>>,
    /// Number of times that the incident was resolved or closed. If it is not 0, the incident is resolved.
    resolved: Arc<Mutex<u32>>,
}

impl Fake {
    async fn start(next: &[u16]) -> (Self, String) {
        let fake = Self::default();
        fake.next.lock().unwrap().extend(next.iter().rev());
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
        let line = head.lines().next().unwrap().to_owned();
        self.lines.lock().unwrap().push(line.clone());
        let Some((status, answer)) = self.judge(&line, head, body) else {
            return;
        };
        let answer = format!(
            "HTTP/1.1 {status} x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{answer}",
            answer.len()
        );
        let answer = match status {
            429 => answer.replacen("connection", "retry-after: 1\r\nconnection", 1),
            _ => answer,
        };
        stream.write_all(answer.as_bytes()).await.unwrap();
    }

    /// Returns status and body. `None`: the answer is lost.
    fn judge(&self, line: &str, head: &str, body: &str) -> Option<(u16, String)> {
        let has = |header: &str| head.lines().any(|line| line.eq_ignore_ascii_case(header));
        let is_opsgenie = line.contains("/v2/alerts/");
        let key = match is_opsgenie {
            true => "authorization: GenieKey k-1",
            false => "authorization: Token token=k-1",
        };
        if !has(key) {
            return Some((401, String::new()));
        }
        if let Some(answer) = self.resolve(line, body, &has) {
            return answer;
        }
        let paths = [
            format!(" /incidents/{INCIDENT}/notes HTTP/1.1"),
            format!(" /v2/alerts/{INCIDENT}/notes?identifierType=id"),
        ];
        if !paths.iter().any(|path| line.contains(path)) {
            return Some((404, r#"{"error": "secret"}"#.to_owned()));
        }
        let mut notes = self.notes.lock().unwrap();
        let (list, text) = match is_opsgenie {
            true => ("data", "note"),
            false => ("notes", "content"),
        };
        if line.starts_with("GET ") {
            let notes: Vec<Value> = notes.iter().map(|note| json!({text: note})).collect();
            return Some((200, json!({list: notes}).to_string()));
        }
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let note = match is_opsgenie {
            true => &body["note"],
            false => &body["note"]["content"],
        };
        let is_signed = is_opsgenie || has("from: tarsy@example.com");
        let (Some(note), true) = (note.as_str(), is_signed) else {
            return Some((400, String::new()));
        };
        match self.next.lock().unwrap().pop() {
            Some(0) => {
                notes.push(note.to_owned());
                None
            }
            Some(status) if status >= 300 => Some((status, String::new())),
            _ => {
                notes.push(note.to_owned());
                Some((if is_opsgenie { 202 } else { 201 }, "{}".to_owned()))
            }
        }
    }

    /// Answers a request that reads or resolves the incident. If the inner option is `None`, the answer is lost.
    fn resolve(
        &self,
        line: &str,
        body: &str,
        has: &impl Fn(&str) -> bool,
    ) -> Option<Option<(u16, String)>> {
        let mut resolved = self.resolved.lock().unwrap();
        let incident = format!(" /incidents/{INCIDENT} HTTP/1.1");
        let close = format!("POST /v2/alerts/{INCIDENT}/close?identifierType=id");
        if line.starts_with(&close) {
            *resolved += 1;
            return Some(Some((202, "{}".to_owned())));
        }
        if !line.contains(&incident) {
            return None;
        }
        let status = match *resolved {
            0 => "triggered",
            _ => "resolved",
        };
        let shown = json!({"incident": {"id": INCIDENT, "status": status}}).to_string();
        if line.starts_with("GET ") {
            return Some(Some((200, shown)));
        }
        let body: Value = serde_json::from_str(body).unwrap_or_default();
        let is_reference = body["incident"]["type"] == "incident_reference";
        // Like PagerDuty, refuses to resolve an incident that is resolved.
        if !has("from: tarsy@example.com") || !is_reference || *resolved > 0 {
            return Some(Some((400, String::new())));
        }
        *resolved += 1;
        Some(match self.next.lock().unwrap().pop() {
            Some(0) => None,
            _ => Some((200, shown)),
        })
    }

    fn notes(&self) -> Vec<String> {
        self.notes.lock().unwrap().clone()
    }
}

fn target(url: &str, format: NotificationFormat) -> Target {
    let is_duty = format == NotificationFormat::Pagerduty;
    Target {
        format,
        secret: None,
        write_back: Some(WriteBack {
            token: Some(Secret::new("k-1")),
            from: is_duty.then(|| "tarsy@example.com".to_owned()),
            resolves: false,
            incident_sources: vec!["api".to_owned()],
            issues: None,
        }),
        ..super::target(url, true)
    }
}

/// Ends a session of an alert that names this incident, and waits until its delivery was tried `attempts` times.
pub(super) async fn end_session(rig: &Rig, incident: &str, attempts: i32) {
    let alert =
        json!({"labels": {"pagerduty_incident_id": incident, "opsgenie_alert_id": incident}});
    rig.end_a_session_about(&alert, json!({})).await;
    rig.attempts(attempts).await;
}

/// Makes the delivery's next attempt due.
pub(super) async fn hurry(rig: &Rig) {
    wait::until("its job to wait", PATIENCE, async || {
        let moved =
            sqlx::query("update jobs set run_at = now(), rank = now() where state = 'scheduled'");
        moved.execute(rig.pool()).await.unwrap().rows_affected() == 1
    })
    .await;
}

#[tokio::test]
async fn the_incident_gets_one_note_although_the_answer_was_lost() {
    for (format, status) in [
        (NotificationFormat::Pagerduty, 201),
        (NotificationFormat::Opsgenie, 202),
    ] {
        // Refused first, which counts no attempt. Then accepted, but the answer is lost.
        let (fake, url) = Fake::start(&[429, 0]).await;
        let rig = Rig::start_with(target(&url, format)).await;
        end_session(&rig, INCIDENT, 1).await;
        assert_eq!(rig.state().await.0, "pending", "{format:?}");
        assert_eq!(fake.notes().len(), 1);

        hurry(&rig).await;
        rig.attempts(2).await;
        let (state, _, response, error) = rig.state().await;
        assert_eq!((state.as_str(), error), ("delivered", None), "{format:?}");
        assert_eq!(response, Some(200), "it was found, not written");
        let notes = fake.notes();
        assert_eq!(notes.len(), 1, "{notes:#?}");
        for expected in [
            "Analysis of kubernetes (critical) completed",
            "all is well",
            "https://tarsy.example/dashboard/sessions/",
        ] {
            assert!(notes[0].contains(expected), "{expected}: {}", notes[0]);
        }
        // A first delivery does not read the notes.
        let (fake, url) = Fake::start(&[]).await;
        let rig = Rig::start_with(target(&url, format)).await;
        end_session(&rig, INCIDENT, 1).await;
        assert_eq!(rig.state().await.2, Some(status));
        assert_eq!(fake.lines.lock().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn an_incident_that_is_unknown_fails_at_once_and_an_alert_without_one_is_left_alone() {
    for format in [NotificationFormat::Pagerduty, NotificationFormat::Opsgenie] {
        let (fake, url) = Fake::start(&[]).await;
        let rig = Rig::start_with(target(&url, format)).await;
        end_session(&rig, "UNKNOWN", 1).await;
        let (state, _, status, error) = rig.state().await;
        assert_eq!((state.as_str(), status), ("failed", Some(404)));
        assert!(!error.unwrap().contains("secret"));

        let (other, url) = Fake::start(&[]).await;
        let rig = Rig::start_with(target(&url, format)).await;
        end_session(&rig, "", 1).await;
        assert_eq!(rig.state().await, ("delivered".to_owned(), 1, None, None));
        assert!(fake.notes().is_empty() && other.lines.lock().unwrap().is_empty());
    }
}

/// Otherwise anyone who may post alerts could resolve any incident by a label.
#[tokio::test]
async fn an_incident_that_the_alert_of_another_source_names_is_left_alone() {
    for format in [NotificationFormat::Pagerduty, NotificationFormat::Opsgenie] {
        let (fake, url) = Fake::start(&[]).await;
        let mut target = target(&url, format);
        if let Some(write_back) = &mut target.write_back {
            write_back.incident_sources.clear();
        }
        let rig = Rig::start_with(target).await;
        end_session(&rig, INCIDENT, 1).await;
        assert_eq!(rig.state().await, ("delivered".to_owned(), 1, None, None));
        assert!(fake.lines.lock().unwrap().is_empty());
    }
}

fn resolving(url: &str, format: NotificationFormat) -> Target {
    let mut target = target(url, format);
    if let Some(write_back) = &mut target.write_back {
        write_back.resolves = true;
    }
    target
}

#[tokio::test]
async fn an_incident_is_resolved_once_after_its_note() {
    for format in [NotificationFormat::Pagerduty, NotificationFormat::Opsgenie] {
        let (fake, url) = Fake::start(&[]).await;
        let rig = Rig::start_with(resolving(&url, format)).await;
        end_session(&rig, INCIDENT, 1).await;
        assert_eq!(rig.state().await.0, "delivered", "{format:?}");
        let lines = fake.lines.lock().unwrap().clone();
        assert_eq!((fake.notes().len(), lines.len()), (1, 2), "{lines:#?}");
        assert_eq!(*fake.resolved.lock().unwrap(), 1);
    }

    // The note was accepted, and the answer to the resolution is lost. Neither is repeated.
    let (fake, url) = Fake::start(&[201, 0]).await;
    let rig = Rig::start_with(resolving(&url, NotificationFormat::Pagerduty)).await;
    end_session(&rig, INCIDENT, 1).await;
    assert_eq!(rig.state().await.0, "pending");
    hurry(&rig).await;
    rig.attempts(2).await;
    assert_eq!(rig.state().await.0, "delivered");
    assert_eq!((fake.notes().len(), *fake.resolved.lock().unwrap()), (1, 1));

    // A person has resolved the incident meanwhile.
    let (fake, url) = Fake::start(&[]).await;
    *fake.resolved.lock().unwrap() = 1;
    let rig = Rig::start_with(resolving(&url, NotificationFormat::Pagerduty)).await;
    end_session(&rig, INCIDENT, 1).await;
    assert_eq!(rig.state().await.0, "delivered");
    assert_eq!((fake.notes().len(), *fake.resolved.lock().unwrap()), (1, 1));
}

#[tokio::test]
async fn an_incident_stays_open_unless_it_is_configured_and_the_session_is_a_success() {
    let (fake, url) = Fake::start(&[]).await;
    let rig = Rig::start_with(target(&url, NotificationFormat::Pagerduty)).await;
    end_session(&rig, INCIDENT, 1).await;
    assert_eq!((fake.notes().len(), *fake.resolved.lock().unwrap()), (1, 0));

    for (end, expected) in [
        ("outcome = 'partial'", "all is well"),
        ("verdict = 'not_investigated'", "Not investigated."),
        ("verdict = 'unsupported'", "Unsupported by tool results."),
    ] {
        let (fake, url) = Fake::start(&[]).await;
        let rig = Rig::start_with(resolving(&url, NotificationFormat::Pagerduty)).await;
        let ending = format!(
            "create function ending() returns trigger language plpgsql as $$ begin new.{end}; return new; end $$;
             create trigger ending before insert on alert_sessions for each row execute function ending()"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(ending))
            .execute(rig.pool())
            .await
            .unwrap();
        end_session(&rig, INCIDENT, 1).await;
        let notes = fake.notes();
        assert_eq!(
            (notes.len(), *fake.resolved.lock().unwrap()),
            (1, 0),
            "{end}"
        );
        assert!(notes[0].contains(expected), "{}", notes[0]);
    }
}
