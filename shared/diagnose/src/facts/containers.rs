//! Containers of pods.

use serde_json::Value;

use crate::fields::Fields;

/// A container: what was asked for, and how it is; each `Null` if it is not known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Container<'c> {
    pub(crate) spec: &'c Value,
    pub(crate) status: &'c Value,
}

impl<'c> Container<'c> {
    /// A container of a template.
    pub(crate) const fn of_spec(spec: &'c Value) -> Self {
        Self {
            spec,
            status: &Value::Null,
        }
    }

    /// A text of both, e.g. `/name`.
    pub(crate) fn text(&self, pointer: &str) -> &'c str {
        match self.spec.text(pointer) {
            "" => self.status.text(pointer),
            text => text,
        }
    }

    /// Why it waits: reason and message.
    pub(crate) fn waiting(&self) -> Option<(&'c str, &'c str)> {
        let waiting = self.status.at("/state/waiting")?;
        Some((waiting.text("/reason"), waiting.text("/message")))
    }

    /// Its last end, with `reason`, `exitCode` and `message`: now, or before it was started again.
    pub(crate) fn exit(&self) -> Option<&'c Value> {
        let ended = self.status.at("/state/terminated");
        ended.or_else(|| self.status.at("/lastState/terminated"))
    }

    pub(crate) fn restarts(&self) -> i64 {
        self.status.number("/restartCount").unwrap_or(0)
    }

    /// Ports that it declares.
    pub(crate) fn ports(&self) -> impl Iterator<Item = &'c Value> + use<'c> {
        let ports = self.spec.list("/ports").iter();
        ports.filter(|port| port.number("/containerPort").is_some())
    }

    /// The port of a probe, by the field that holds it; empty if it asks no port.
    pub(crate) fn probe_port(&self, field: &str) -> Option<String> {
        let probe = self.spec.get(field).filter(|probe| probe.is_object())?;
        let port = probe
            .at("/httpGet/port")
            .or_else(|| probe.at("/tcpSocket/port"));
        Some(port.map_or_else(String::new, port_text))
    }
}

/// Whether a name or a number in a text means this port of a container.
pub(crate) fn is_port(port: &Value, target: &str) -> bool {
    port.text("/name") == target || port_text(&port["containerPort"]) == target
}

/// A port as it is written: its name or its number.
pub(crate) fn port_text(port: &Value) -> String {
    match port {
        Value::String(name) => name.clone(),
        number => number.to_string(),
    }
}
