//! stdio transport: one JSON message per line.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Mutex;

use super::child::ChildGroup;
use super::inflow::Inflow;
use super::lines::LineBuffer;
use super::message::Assembler;
use super::stderr::StderrTail;
use crate::client::Client;
use crate::settings::StdioSettings;

const CHUNK_BYTES: usize = 64 * 1024;
/// Longest wait for the rest of a dead child's output. The child's descendants may hold the pipe open.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The connection to a child process.
pub(crate) struct StdioTransport {
    child: ChildGroup,
    stdin: Arc<Mutex<Option<ChildStdin>>>,
    stdout: ChildStdout,
    chunk: Box<[u8]>,
    inflow: Inflow,
    lines: LineBuffer,
    assembler: Assembler,
    ready: VecDeque<RxJsonRpcMessage<RoleClient>>,
    child_ended: bool,
}

impl StdioTransport {
    /// Starts the child. Must be called in a tokio runtime.
    pub(crate) fn spawn(
        settings: &StdioSettings,
        max_message_bytes: usize,
        inflow: Inflow,
        client: Client,
    ) -> io::Result<(Self, StderrTail)> {
        let (child, pipes) = ChildGroup::spawn(settings)?;
        let transport = Self {
            child,
            stdin: Arc::new(Mutex::new(Some(pipes.stdin))),
            stdout: pipes.stdout,
            chunk: vec![0; CHUNK_BYTES].into(),
            lines: LineBuffer::new(max_message_bytes),
            assembler: Assembler::new(inflow.clone(), client),
            inflow,
            ready: VecDeque::new(),
            child_ended: false,
        };
        Ok((transport, StderrTail::follow(pipes.stderr)))
    }

    /// Returns the size of the next piece of output; `None` at the end of the output.
    async fn read(&mut self) -> Option<usize> {
        let read = if self.child_ended {
            tokio::time::timeout(LAST_WORDS, self.stdout.read(&mut self.chunk))
                .await
                .ok()?
        } else {
            tokio::select! {
                biased;
                read = self.stdout.read(&mut self.chunk) => read,
                () = self.child.ended() => {
                    self.child_ended = true;
                    return Some(0);
                }
            }
        };
        read.ok().filter(|read| *read > 0)
    }
}

impl Transport<RoleClient> for StdioTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let stdin = Arc::clone(&self.stdin);
        async move {
            let mut line = serde_json::to_vec(&item)?;
            line.push(b'\n');
            let mut stdin = stdin.lock().await;
            let pipe = stdin.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            pipe.write_all(&line).await?;
            pipe.flush().await
        }
    }

    // Cancel-safe: there is no await between taking bytes from the pipe and putting them into the buffer.
    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            let read = self.read().await;
            let Some(read) = read.filter(|read| self.inflow.bytes(*read)) else {
                self.child.kill();
                return None;
            };
            let mut input = &self.chunk[..read];
            while let Some(line) = self.lines.take(&mut input) {
                self.ready.extend(self.assembler.message(line));
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // A sender that is stuck on a full pipe holds the lock. The child is ended anyway.
        if let Ok(mut stdin) = self.stdin.try_lock() {
            *stdin = None;
        }
        self.child.end().await;
        Ok(())
    }
}
