//! Queries about containers of pods.

use serde_json::Value;

use crate::fields::Fields;

/// A container: its specification and its status, each `Null` if it is not known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Container<'c> {
    pub(crate) spec: &'c Value,
    pub(crate) status: &'c Value,
}

impl<'c> Container<'c> {
    /// Wraps a container of a pod template, which has no status.
    pub(crate) const fn of_spec(spec: &'c Value) -> Self {
        Self {
            spec,
            status: &Value::Null,
        }
    }

    /// Returns a text that the specification or else the status has, e.g. `/name`.
    pub(crate) fn text(&self, pointer: &str) -> &'c str {
        match self.spec.text(pointer) {
            "" => self.status.text(pointer),
            text => text,
        }
    }

    /// Returns reason and message if the container waits.
    pub(crate) fn waiting(&self) -> Option<(&'c str, &'c str)> {
        let waiting = self.status.at("/state/waiting")?;
        Some((waiting.text("/reason"), waiting.text("/message")))
    }

    /// Returns the last termination, with `reason`, `exitCode` and `message`: the current one, or that before the last
    /// restart.
    pub(crate) fn exit(&self) -> Option<&'c Value> {
        let ended = self.status.at("/state/terminated");
        ended.or_else(|| self.status.at("/lastState/terminated"))
    }

    pub(crate) fn restarts(&self) -> i64 {
        self.status.number("/restartCount").unwrap_or(0)
    }

    /// Returns the ports that the container declares.
    pub(crate) fn ports(&self) -> impl Iterator<Item = &'c Value> + use<'c> {
        let ports = self.spec.list("/ports").iter();
        ports.filter(|port| port.number("/containerPort").is_some())
    }

    /// Returns the port of the probe in this field; empty if the probe uses no port, `None` if there is no such probe.
    pub(crate) fn probe_port(&self, field: &str) -> Option<String> {
        let probe = self.spec.get(field).filter(|probe| probe.is_object())?;
        let port = probe
            .at("/httpGet/port")
            .or_else(|| probe.at("/tcpSocket/port"));
        Some(port.map_or_else(String::new, port_text))
    }
}

/// Whether a text is the name or the number of this container port.
pub(crate) fn is_port(port: &Value, target: &str) -> bool {
    port.text("/name") == target || port_text(&port["containerPort"]) == target
}

/// Returns a port as text: its name or its number.
pub(crate) fn port_text(port: &Value) -> String {
    match port {
        Value::String(name) => name.clone(),
        number => number.to_string(),
    }
}
