//! A client of a built-in MCP server, over standard input and output.

use std::process::Stdio;

use serde_json::{Value, json};
use tarsy_testing::process::binary;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::SOON;

/// A client of `tarsy mcp`. Dropping it ends the server.
#[derive(Debug)]
pub struct StdioClient {
    _child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl StdioClient {
    /// Starts `tarsy mcp SERVER` with these variables and initializes the connection.
    ///
    /// # Panics
    ///
    /// When the server does not start.
    pub async fn start(server: &str, variables: &[(&str, &str)]) -> Self {
        let mut child = tokio::process::Command::new(binary("tarsy"))
            .args(["mcp", server])
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut client = Self {
            input: child.stdin.take().unwrap(),
            output,
            _child: child,
        };
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
        client.ask("initialize", hello).await;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        client.send(&ready).await;
        client
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).await.unwrap();
        self.input.flush().await.unwrap();
    }

    /// Sends a request and returns the response.
    ///
    /// # Panics
    ///
    /// When there is no response within [`SOON`].
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.send(&request).await;
        let line = tokio::time::timeout(SOON, self.output.next_line()).await;
        let line = line.unwrap().unwrap().expect("the server hung up");
        serde_json::from_str(&line).unwrap()
    }

    /// Calls a tool and returns the text of its result, which may be an error.
    ///
    /// # Panics
    ///
    /// When the result has no text.
    pub async fn call(&mut self, tool: &str, arguments: Value) -> String {
        let params = json!({"name": tool, "arguments": arguments});
        let answer = self.ask("tools/call", params).await;
        let text = answer["result"]["content"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{answer}")).to_owned()
    }
}
