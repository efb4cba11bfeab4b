//! The port for probes and metrics.

use std::net::{Ipv4Addr, SocketAddr};

use super::reader::Reader;

/// Address on which a worker answers `/livez`, `/readyz` and `/metrics`: `TARSY_OPS_LISTEN`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OpsListen {
    /// Not set: loopback, on the role's own port, or on any free port if that one is in use.
    #[default]
    Default,
    /// `off`: no address.
    Off,
    /// Exactly this address, or the start fails. `:PORT` means all interfaces; port 0 means any free port.
    At(SocketAddr),
}

impl OpsListen {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        reader
            .parse(
                "TARSY_OPS_LISTEN",
                "127.0.0.1:9101, 9102",
                "`off`, `:port` or an address and a port, e.g. `:9101`",
                "address of a worker's probes and metrics (chain-worker 9101, stage-worker 9102); `off`: none",
            )
            .unwrap_or_default()
    }
}

impl std::str::FromStr for OpsListen {
    type Err = std::net::AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.eq_ignore_ascii_case("off") {
            return Ok(Self::Off);
        }
        let port = text.strip_prefix(':').and_then(|port| port.parse().ok());
        match port {
            Some(port) => Ok(Self::At((Ipv4Addr::UNSPECIFIED, port).into())),
            None => text.parse().map(Self::At),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::OpsListen;

    #[test]
    fn addresses_are_read() {
        let all = "0.0.0.0:9101".parse().unwrap();
        assert_eq!(":9101".parse(), Ok(OpsListen::At(all)));
        assert_eq!("OFF".parse(), Ok(OpsListen::Off));
        let six = "[::1]:0".parse().unwrap();
        assert_eq!("[::1]:0".parse(), Ok(OpsListen::At(six)));
        for wrong in ["", "9101", ":", ":99999", "localhost"] {
            assert!(wrong.parse::<OpsListen>().is_err(), "{wrong}");
        }
    }
}
