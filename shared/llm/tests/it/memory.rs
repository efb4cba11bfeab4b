//! A provider that answers with 100 MB must not exhaust the worker's memory.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use tarsy_llm::{ChatMessage, ChatRequest, ErrorClass, ProviderKind, ProviderSettings, Providers};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const HUGE: usize = 100_000_000;
/// Reliability target: RSS may grow by 32 MiB at most.
const ALLOWED_KIB: u64 = 32 * 1024;

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Sends `head` and then, piece by piece, 100 MB of a JSON text that never ends.
async fn pour(mut stream: TcpStream, head: String) {
    let mut request = vec![0; 16 * 1024];
    let _ = stream.read(&mut request).await;
    let piece = vec![b'x'; 64 * 1024];
    let start = format!("{head}\r\n\r\n{{\"choices\":[{{\"message\":{{\"content\":\"");
    if stream.write_all(start.as_bytes()).await.is_err() {
        return;
    }
    for _ in 0..HUGE / piece.len() {
        if stream.write_all(&piece).await.is_err() {
            return;
        }
    }
}

#[tokio::test]
async fn a_hundred_megabytes_are_refused_in_bounded_memory() {
    let heads = [
        "HTTP/1.1 200 OK\r\ncontent-type: application/json".to_owned(),
        "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\nretry-after: 1"
            .to_owned(),
        format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {HUGE}"),
    ];
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut settings = ProviderSettings::new("huge", ProviderKind::OpenAi, "model-1");
    settings.base_url = Some(format!("http://{}/v1", listener.local_addr().unwrap()));
    let model = Providers::build([settings]).unwrap().get("huge").unwrap();
    let answers = heads.clone();
    tokio::spawn(async move {
        for head in answers {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(pour(stream, head));
        }
    });
    let question = ChatRequest {
        messages: vec![ChatMessage::user("Why?")],
        ..ChatRequest::default()
    };

    let before = peak_kib();
    for head in heads {
        let error = model.chat(&question).await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Malformed, "{head}: {error}");
        assert_eq!(
            error.message, "the response is larger than 8388608 bytes",
            "{head}"
        );
    }
    let grown = peak_kib().saturating_sub(before);
    assert!(grown <= ALLOWED_KIB, "RSS grew by {grown} KiB");
}
