//! Containers of pods.

use serde_json::Value;

use super::{list, text};

/// A container: what was asked for, and how it is; each `Null` if it is not known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Container<'c> {
    pub(crate) spec: &'c Value,
    pub(crate) status: &'c Value,
}

/// How a container ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exit<'c> {
    pub(crate) reason: &'c str,
    pub(crate) code: Option<i64>,
    pub(crate) message: &'c str,
}

impl<'c> Container<'c> {
    pub(crate) fn name(&self) -> &'c str {
        match text(self.spec, "/name") {
            "" => text(self.status, "/name"),
            name => name,
        }
    }

    pub(crate) fn image(&self) -> &'c str {
        match text(self.spec, "/image") {
            "" => text(self.status, "/image"),
            image => image,
        }
    }

    /// Why it waits: reason and message.
    pub(crate) fn waiting(&self) -> Option<(&'c str, &'c str)> {
        let waiting = self.status.pointer("/state/waiting")?;
        Some((text(waiting, "/reason"), text(waiting, "/message")))
    }

    /// Its last end: now, or before it was started again.
    pub(crate) fn exit(&self) -> Option<Exit<'c>> {
        let ended = self.status.pointer("/state/terminated");
        let ended = ended.or_else(|| self.status.pointer("/lastState/terminated"))?;
        Some(Exit {
            reason: text(ended, "/reason"),
            code: ended.get("exitCode").and_then(Value::as_i64),
            message: text(ended, "/message"),
        })
    }

    pub(crate) fn restarts(&self) -> i64 {
        self.status
            .get("restartCount")
            .and_then(Value::as_i64)
            .unwrap_or(0)
    }

    /// Ports with their names and protocols.
    pub(crate) fn ports(&self) -> Vec<(&'c str, i64, &'c str)> {
        let ports = list(self.spec, "/ports").iter();
        ports
            .filter_map(|port| {
                let number = port.get("containerPort")?.as_i64()?;
                Some((text(port, "/name"), number, text(port, "/protocol")))
            })
            .collect()
    }

    /// A probe, by the field that holds it: its port as text, path and scheme.
    pub(crate) fn probe(&self, field: &str) -> Option<(String, &'c str, &'c Value)> {
        let probe = self.spec.get(field).filter(|probe| probe.is_object())?;
        let http = probe.get("httpGet").or_else(|| probe.get("tcpSocket"));
        let port = match http.and_then(|http| http.get("port")) {
            Some(Value::String(name)) => name.clone(),
            Some(number) => number.to_string(),
            None => String::new(),
        };
        Some((port, http.map_or("", |http| text(http, "/path")), probe))
    }

    /// Settings with a plain value.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (&'c str, &'c str)> + use<'c> {
        let settings = list(self.spec, "/env").iter();
        settings.map(|setting| (text(setting, "/name"), text(setting, "/value")))
    }
}
