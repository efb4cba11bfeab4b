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

/// A port that a container declares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContainerPort<'c> {
    pub(crate) name: &'c str,
    pub(crate) number: i64,
    /// Empty if it is not known.
    pub(crate) protocol: &'c str,
}

impl ContainerPort<'_> {
    /// Whether a name or a number in a text means this port.
    pub(crate) fn is(&self, target: &str) -> bool {
        self.name == target || self.number.to_string() == target
    }
}

impl<'c> Container<'c> {
    /// A container of a template.
    pub(crate) const fn of_spec(spec: &'c Value) -> Self {
        Self {
            spec,
            status: &Value::Null,
        }
    }

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

    pub(crate) fn ports(&self) -> Vec<ContainerPort<'c>> {
        let ports = list(self.spec, "/ports").iter();
        ports
            .filter_map(|port| {
                Some(ContainerPort {
                    name: text(port, "/name"),
                    number: port.get("containerPort")?.as_i64()?,
                    protocol: text(port, "/protocol"),
                })
            })
            .collect()
    }

    /// The port of a probe, by the field that holds it; empty if it asks no port.
    pub(crate) fn probe_port(&self, field: &str) -> Option<String> {
        let probe = self.spec.get(field).filter(|probe| probe.is_object())?;
        let port = ["/httpGet/port", "/tcpSocket/port"]
            .iter()
            .find_map(|pointer| probe.pointer(pointer));
        Some(port.map_or_else(String::new, port_text))
    }

    /// Settings with a plain value.
    pub(crate) fn environment(&self) -> impl Iterator<Item = (&'c str, &'c str)> + use<'c> {
        let settings = list(self.spec, "/env").iter();
        settings.map(|setting| (text(setting, "/name"), text(setting, "/value")))
    }
}

/// A port as it is written: its name or its number.
pub(super) fn port_text(port: &Value) -> String {
    match port {
        Value::String(name) => name.clone(),
        number => number.to_string(),
    }
}
