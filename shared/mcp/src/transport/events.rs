//! Parses server-sent events with bounded memory.

use bytes::{Buf, Bytes};
use futures::StreamExt;
use futures::stream::BoxStream;
use serde::de::IgnoredAny;

use super::inflow::Inflow;
use super::lines::{Line, LineBuffer};

/// Longest name or id of an event, in bytes.
const MOST_NAME_BYTES: usize = 1024;

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// Field `event`; empty if there is none, which means `message`.
    pub(crate) name: String,
    /// `None` for an event with only an id or a pause.
    pub(crate) data: Option<Data>,
    /// Position from which to resume after this event.
    pub(crate) id: Option<String>,
    /// Milliseconds to wait before resuming.
    pub(crate) retry: Option<u64>,
}

/// Data of an event.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Data {
    Whole(Vec<u8>),
    /// More data than the limit: beginning, end and total size.
    Over {
        head: Vec<u8>,
        tail: Vec<u8>,
        total: u64,
    },
}

/// Events of one response body.
pub(crate) struct EventStream {
    body: Option<BoxStream<'static, reqwest::Result<Bytes>>>,
    pending: Bytes,
    inflow: Inflow,
    lines: LineBuffer,
    parser: Parser,
}

impl EventStream {
    pub(crate) fn new(
        body: BoxStream<'static, reqwest::Result<Bytes>>,
        max_bytes: usize,
        inflow: Inflow,
    ) -> Self {
        let parser = Parser {
            max_bytes,
            ..Parser::default()
        };
        Self {
            body: Some(body),
            pending: Bytes::new(),
            inflow,
            lines: LineBuffer::new(max_bytes),
            parser,
        }
    }

    /// Returns the next event. `None` if the body has ended or the server has sent too much. Cancel-safe.
    pub(crate) async fn next(&mut self) -> Option<reqwest::Result<Event>> {
        loop {
            let mut input = &self.pending[..];
            let line = self.lines.take(&mut input);
            let taken = self.pending.len() - input.len();
            self.pending.advance(taken);
            if self.inflow.flood().is_some() {
                self.end();
                return None;
            }
            match line.map(|line| self.parser.line(line)) {
                Some(Some(event)) => return Some(Ok(event)),
                Some(None) => {}
                None => match self.body.as_mut()?.next().await {
                    None => {
                        self.body = None;
                        return self.last().map(Ok);
                    }
                    Some(Ok(bytes)) => {
                        self.inflow.bytes(bytes.len());
                        self.pending = bytes;
                    }
                    Some(Err(error)) => {
                        self.body = None;
                        return Some(Err(error));
                    }
                },
            }
        }
    }

    /// Returns the event at the end of a body without a final empty line, if the event is whole.
    fn last(&mut self) -> Option<Event> {
        if let Some(line) = self.lines.finish() {
            self.parser.line(line);
        }
        let event = self.parser.line(Line::Whole(Vec::new()))?;
        let is_whole = matches!(&event.data, Some(Data::Whole(data)) if serde_json::from_slice::<IgnoredAny>(data).is_ok());
        is_whole.then_some(event)
    }

    pub(crate) fn end(&mut self) {
        self.body = None;
    }
}

/// Assembles the lines of one event.
#[derive(Default)]
struct Parser {
    max_bytes: usize,
    name: String,
    data: Option<Data>,
    id: Option<String>,
    retry: Option<u64>,
    over: Option<Vec<u8>>,
}

impl Parser {
    fn line(&mut self, line: Line) -> Option<Event> {
        match line {
            Line::Whole(line) if line.is_empty() => {
                let event = Event {
                    name: std::mem::take(&mut self.name),
                    data: self.data.take(),
                    id: self.id.take(),
                    retry: self.retry.take(),
                };
                let carries = event.data.is_some() || event.id.is_some() || event.retry.is_some();
                return carries.then_some(event);
            }
            Line::Whole(line) => {
                if let Some(data) = field(&line, b"data") {
                    self.push(data);
                } else if let Some(name) = field(&line, b"event") {
                    self.name = short(name).unwrap_or_default();
                } else if let Some(id) = field(&line, b"id") {
                    self.id = short(id);
                } else if let Some(retry) = field(&line, b"retry") {
                    self.retry = std::str::from_utf8(retry)
                        .ok()
                        .and_then(|ms| ms.parse().ok());
                }
            }
            Line::Over(head) => self.over = field(&head, b"data").map(<[u8]>::to_vec),
            Line::OverEnd { tail, total } => {
                if let Some(head) = self.over.take() {
                    self.data = Some(Data::Over { head, tail, total });
                }
            }
        }
        None
    }

    fn push(&mut self, more: &[u8]) {
        match &mut self.data {
            None => self.data = Some(Data::Whole(more.to_vec())),
            Some(Data::Whole(data)) if data.len() + more.len() < self.max_bytes => {
                data.push(b'\n');
                data.extend_from_slice(more);
            }
            // Several lines that exceed the limit together: drop the rest.
            Some(_) => {}
        }
    }
}

/// Returns a name or id; `None` if it is too long.
fn short(value: &[u8]) -> Option<String> {
    (value.len() <= MOST_NAME_BYTES).then(|| String::from_utf8_lossy(value).into_owned())
}

fn field<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let value = line.strip_prefix(name)?.strip_prefix(b":")?;
    Some(value.strip_prefix(b" ").unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn events(body: &[&'static str], max: usize) -> Vec<Event> {
        let chunks: Vec<_> = body
            .iter()
            .map(|chunk| Ok(Bytes::from_static(chunk.as_bytes())))
            .collect();
        let mut stream = EventStream::new(
            futures::stream::iter(chunks).boxed(),
            max,
            Inflow::new(1024),
        );
        let mut events = Vec::new();
        while let Some(Ok(event)) = stream.next().await {
            events.push(event);
        }
        events
    }

    #[tokio::test]
    async fn events_come_out_however_the_body_is_cut() {
        let whole = events(
            &["event: endpoint\nid: 7\nretry: 500\ndata: /m\n\n: ping\n\ndata: a\ndata:b\n\n"],
            100,
        )
        .await;
        let cut = events(
            &[
                "event: end",
                "point\nid: 7\nretry: 500\nda",
                "ta: /m\n",
                "\n: ping\n\ndata: a\ndata:b\n\n",
            ],
            100,
        )
        .await;
        assert_eq!(whole, cut);
        assert_eq!(
            (
                whole[0].name.as_str(),
                whole[0].id.as_deref(),
                whole[0].retry
            ),
            ("endpoint", Some("7"), Some(500))
        );
        assert_eq!(whole[0].data, Some(Data::Whole(b"/m".to_vec())));
        assert_eq!(whole[1].data, Some(Data::Whole(b"a\nb".to_vec())));
    }

    #[tokio::test]
    async fn a_huge_event_keeps_its_two_ends() {
        let events = events(&["data: 0123456789", "abcdef\n\n"], 10).await;
        let over = Data::Over {
            head: b"0123".to_vec(),
            tail: b"456789abcdef".to_vec(),
            total: 22,
        };
        assert_eq!(events[0].data, Some(over));
    }
}
