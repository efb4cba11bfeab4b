//! A small HTTP/1.1 load generator: keep-alive connections, one request at a time on each.
//!
//! It shares the machine with the measured process, so it does little. It inserts a number into prepared request bytes,
//! reads each answer to its end, and parses only the status.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Results of a run.
#[derive(Debug, Default)]
pub(crate) struct Run {
    /// Answers with status 202.
    pub(crate) accepted: usize,
    pub(crate) refused: usize,
    /// Milliseconds of each accepted request, sorted.
    pub(crate) millis: Vec<f64>,
    /// Length of the run.
    pub(crate) seconds: f64,
}

/// Posts `body(n)` over `connections` connections for `time`.
pub(crate) async fn post(
    address: &str,
    path: &'static str,
    connections: usize,
    time: Duration,
    body: fn(usize) -> String,
) -> Result<Run> {
    let started = Instant::now();
    let mut tasks = Vec::new();
    for connection in 0..connections {
        let address = address.to_owned();
        tasks.push(tokio::spawn(async move {
            let mut stream = TcpStream::connect(&address).await?;
            stream.set_nodelay(true)?;
            let mut run = Run::default();
            let mut buffer = vec![0; 16 * 1024];
            let mut n = connection;
            while started.elapsed() < time {
                let body = body(n);
                n += connections;
                let request = format!(
                    "POST {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                );
                let sent = Instant::now();
                stream.write_all(request.as_bytes()).await?;
                let status = answer(&mut stream, &mut buffer).await?;
                if status == 202 {
                    run.accepted += 1;
                    run.millis.push(sent.elapsed().as_secs_f64() * 1e3);
                } else {
                    run.refused += 1;
                }
            }
            anyhow::Ok(run)
        }));
    }
    let mut all = Run::default();
    for task in tasks {
        let run = task.await??;
        all.accepted += run.accepted;
        all.refused += run.refused;
        all.millis.extend(run.millis);
    }
    all.seconds = started.elapsed().as_secs_f64();
    all.millis.sort_by(f64::total_cmp);
    Ok(all)
}

/// Reads an answer and returns its status.
async fn answer(stream: &mut TcpStream, buffer: &mut [u8]) -> Result<u16> {
    let mut filled = 0;
    loop {
        let read = stream
            .read(buffer.get_mut(filled..).unwrap_or_default())
            .await?;
        if read == 0 {
            bail!("the connection was closed in the middle of an answer");
        }
        filled += read;
        let text = std::str::from_utf8(&buffer[..filled])?;
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length")
                    .then(|| value.trim().parse::<usize>())
            })
            .context("an answer without a length")??;
        if body.len() >= length {
            let status = head
                .split(' ')
                .nth(1)
                .context("an answer without a status")?;
            return Ok(status.parse()?);
        }
    }
}
