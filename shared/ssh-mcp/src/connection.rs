//! Runs one command over one connection. Checks the host's key, and limits output and time.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use russh::client::{Config, Handle, Handler};
use russh::keys::{PrivateKeyWithHashAlg, PublicKeyOrCertificate};
use russh::{ChannelMsg, Disconnect, Preferred};

use tokio::time::Instant;

use crate::error::Refusal;
use crate::outcome::Outcome;
use crate::policy::Target;

/// Longest time to connect and log in.
const CONNECT: Duration = Duration::from_secs(4);
/// Longest time for the whole run, regardless of the command's own limit. The remote side ends the command, and on a
/// busy host its answer comes late. With the longest limit (20 s), 3 s remain for TERM, KILL and the way back. Together
/// with the wait for a turn, it is below the 30 s of a tool call.
const WHOLE: Duration = Duration::from_secs(27);
/// Exit statuses of `timeout` after TERM, and of a killed process. After it sends KILL, `timeout` itself is killed,
/// too.
const TIMED_OUT: [u32; 2] = [124, 137];

/// Accepts a host if it presents one of the pinned keys.
struct PinnedKeys(Arc<Target>);

impl Handler for PinnedKeys {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        shown: &PublicKeyOrCertificate,
    ) -> Result<bool, Self::Error> {
        let PublicKeyOrCertificate::PublicKey { key, .. } = shown else {
            return Ok(false);
        };
        let is_pinned = self
            .0
            .host_keys
            .iter()
            .any(|pinned| pinned.key_data() == key.key_data());
        Ok(is_pinned)
    }
}

/// Runs a command line on a host.
pub(crate) async fn run(target: &Arc<Target>, command_line: String) -> Result<Outcome, Refusal> {
    let give_up = Instant::now() + WHOLE;
    let connected = tokio::time::timeout(CONNECT, connect(target)).await;
    let too_long = |_| Refusal::Unreachable(format!("`{}` did not answer in time", target.name));
    let session = connected.map_err(too_long)??;
    let outcome = tokio::time::timeout_at(give_up, execute(&session, target, command_line)).await;
    let late = |_| Refusal::Unknown(format!("`{}` did not end the command in time", target.name));
    let outcome = outcome.map_err(late)?;
    let goodbye = session.disconnect(Disconnect::ByApplication, "", "en");
    tokio::time::timeout(Duration::from_millis(500), goodbye)
        .await
        .ok();
    outcome
}

async fn connect(target: &Arc<Target>) -> Result<Handle<PinnedKeys>, Refusal> {
    // A host with several keys must present one of a pinned kind.
    let kinds: Vec<_> = target.host_keys.iter().map(|key| key.algorithm()).collect();
    let config = Config {
        preferred: Preferred {
            key: Cow::Owned(kinds),
            ..Preferred::DEFAULT
        },
        nodelay: true,
        ..Config::default()
    };
    let address = (target.address.as_str(), target.port);
    let connected =
        russh::client::connect(Arc::new(config), address, PinnedKeys(Arc::clone(target))).await;
    let mut session =
        connected.map_err(|error| Refusal::Unreachable(unreachable(target, &error)))?;
    let key = PrivateKeyWithHashAlg::new(Arc::clone(&target.login.key), None);
    let login = session
        .authenticate_publickey(&target.login.user, key)
        .await;
    match login {
        Ok(answer) if answer.success() => Ok(session),
        Ok(_) => Err(Refusal::Unreachable(format!(
            "`{}` refused the login",
            target.name
        ))),
        Err(error) => Err(Refusal::Unreachable(unreachable(target, &error))),
    }
}

fn unreachable(target: &Target, error: &russh::Error) -> String {
    let name = &target.name;
    match error {
        russh::Error::UnknownKey => {
            format!("`{name}` showed a key that is not pinned: not trusted")
        }
        russh::Error::NoCommonAlgo { .. } => {
            format!("`{name}` has no key of a pinned kind: not trusted")
        }
        russh::Error::IO(error) => format!("`{name}` was not reached: {}", error.kind()),
        _ => format!("`{name}` was not reached"),
    }
}

async fn execute(
    session: &Handle<PinnedKeys>,
    target: &Target,
    command_line: String,
) -> Result<Outcome, Refusal> {
    let name = &target.name;
    let refused = |_| Refusal::Unreachable(format!("`{name}` opened no channel"));
    let mut channel = session.channel_open_session().await.map_err(refused)?;
    let broken = || Refusal::Unknown(format!("the connection to `{name}` broke"));
    channel
        .exec(true, command_line)
        .await
        .map_err(|_| broken())?;
    // The command gets no input.
    channel.eof().await.map_err(|_| broken())?;
    let begun = Instant::now();
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let (mut room, mut status, mut signal, mut is_cut) =
        (target.login.max_output, None, None, false);
    while let Some(message) = channel.wait().await {
        let (kept, data) = match &message {
            ChannelMsg::Data { data } => (&mut stdout, data),
            ChannelMsg::ExtendedData { data, .. } => (&mut stderr, data),
            ChannelMsg::ExitStatus { exit_status } => {
                status = Some(*exit_status);
                continue;
            }
            ChannelMsg::ExitSignal { signal_name, .. } => {
                signal = Some(format!("{signal_name:?}"));
                continue;
            }
            ChannelMsg::Failure => {
                return Err(Refusal::Unreachable(format!(
                    "`{name}` refused to run commands"
                )));
            }
            _ => continue,
        };
        let taken = data.len().min(room);
        kept.extend_from_slice(data.get(..taken).unwrap_or_default());
        room -= taken;
        if taken < data.len() {
            is_cut = true;
            // The command gets SIGPIPE with its next line, or ends at its own limit.
            channel.close().await.ok();
            break;
        }
    }
    if status.is_none() && signal.is_none() && !is_cut {
        return Err(broken());
    }
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(Outcome {
        exit_status: status,
        timed_out: begun.elapsed() >= target.login.limit
            && (signal.as_deref() == Some("KILL")
                || status.is_some_and(|status| TIMED_OUT.contains(&status))),
        signal,
        truncated: is_cut,
        cached: false,
        stdout: text(stdout),
        stderr: text(stderr),
    })
}
