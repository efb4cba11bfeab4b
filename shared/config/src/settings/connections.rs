//! Connection limits of the HTTP service.

use std::net::IpAddr;
use std::time::Duration;

use super::reader::Reader;

/// How many connections the HTTP service accepts, and how long a client may keep it waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionSettings {
    /// `TARSY_MAX_CONNECTIONS`: connections open at once. Default 10,000, and never more than three quarters of the
    /// files that the process may open.
    pub most: usize,
    /// `TARSY_MAX_CONNECTIONS_PER_ADDRESS`: connections open at once from one IPv4 address, or one /64 of IPv6. Default
    /// 2,500. It does not apply to trusted proxies.
    pub most_of_one: usize,
    /// `TARSY_TRUSTED_PROXIES`: addresses and networks of proxies, comma-separated. Their connections are not limited
    /// per address, and their `X-Forwarded-For` names the client. Default: none.
    pub trusted_proxies: Vec<Network>,
    /// `TARSY_HEADER_TIMEOUT`: longest time until a request's headers are complete, from its first byte or from the
    /// start of the connection. Default 10 s.
    pub header_timeout: Duration,
    /// `TARSY_BODY_TIMEOUT`: minimum time for receiving a request's body. Each KiB received adds one second. Default 20
    /// s.
    pub body_timeout: Duration,
    /// `TARSY_IDLE_TIMEOUT`: longest idle time of a connection between requests. Default 75 s: longer than the idle
    /// timeout of proxies, so that they never send into a connection that is being closed.
    pub idle_timeout: Duration,
}

impl ConnectionSettings {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let count = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let (second, hour) = (Duration::from_secs(1), Duration::from_secs(3_600));
        Self {
            most: count(reader.integer(
                "TARSY_MAX_CONNECTIONS",
                10_000,
                (16, 1_000_000),
                "HTTP connections open at once",
            )),
            most_of_one: count(reader.integer(
                "TARSY_MAX_CONNECTIONS_PER_ADDRESS",
                2_500,
                (1, 1_000_000),
                "HTTP connections open at once from one address, trusted proxies excepted",
            )),
            trusted_proxies: networks(reader),
            header_timeout: reader.duration(
                "TARSY_HEADER_TIMEOUT",
                Duration::from_secs(10),
                (second, hour),
                "longest wait for the headers of a request",
            ),
            body_timeout: reader.duration(
                "TARSY_BODY_TIMEOUT",
                Duration::from_secs(20),
                (second, hour),
                "longest wait for the body of a request, plus one second for each received KiB",
            ),
            idle_timeout: reader.duration(
                "TARSY_IDLE_TIMEOUT",
                Duration::from_secs(75),
                (second, hour),
                "longest idle time of a connection between requests",
            ),
        }
    }

    /// Whether this is the address of a trusted proxy.
    #[must_use]
    pub fn is_trusted_proxy(&self, address: IpAddr) -> bool {
        self.trusted_proxies
            .iter()
            .any(|network| network.contains(address))
    }
}

/// A network: an address, or all addresses that share its first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    bits: u8,
}

impl Network {
    /// Whether the address belongs to the network.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let (own, other, width) = match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                (u128::from(own.to_bits()), u128::from(other.to_bits()), 32)
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => (own.to_bits(), other.to_bits(), 128),
            _ => return false,
        };
        let rest = width - u32::from(self.bits);
        own.checked_shr(rest).unwrap_or(0) == other.checked_shr(rest).unwrap_or(0)
    }
}

impl std::str::FromStr for Network {
    type Err = ();

    /// Parses `10.0.0.7`, `10.0.0.0/8` or `fd00::/8`.
    fn from_str(text: &str) -> Result<Self, ()> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| ())?;
        let width = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Ok(width), |bits| bits.parse().map_err(|_| ()))?;
        (bits <= width).then_some(Self { address, bits }).ok_or(())
    }
}

fn networks(reader: &mut Reader<'_>) -> Vec<Network> {
    const NAME: &str = "TARSY_TRUSTED_PROXIES";
    let meaning = "addresses and networks of trusted proxies, comma-separated";
    let text = reader.text(NAME, "", meaning).unwrap_or_default();
    let mut networks = Vec::new();
    for word in text.split(',').map(str::trim).filter(|w| !w.is_empty()) {
        match word.parse() {
            Ok(network) => networks.push(network),
            Err(()) => reader.problem(
                format!("`{NAME}`: invalid address or network `{word}`"),
                "expected e.g. `10.0.0.7`, `10.0.0.0/8` or `fd00::/8`",
            ),
        }
    }
    networks
}

#[cfg(test)]
mod tests {
    use super::Network;

    #[test]
    fn a_network_holds_the_addresses_that_share_its_bits() {
        for (network, address, expected) in [
            ("10.0.0.7", "10.0.0.7", true),
            ("10.0.0.7", "10.0.0.8", false),
            ("10.0.0.0/8", "10.200.1.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("0.0.0.0/0", "192.0.2.1", true),
            ("10.0.0.0/8", "::ffff:10.1.1.1", true),
            ("fd00::/8", "fd12::1", true),
            ("fd00::/8", "fe80::1", false),
            ("::/0", "10.0.0.1", false),
        ] {
            let parsed: Network = network.parse().unwrap();
            assert_eq!(
                parsed.contains(address.parse().unwrap()),
                expected,
                "{network} {address}"
            );
        }
        for bad in [
            "",
            "10.0.0.0/33",
            "10.0.0/8",
            "proxy",
            "10.0.0.0/-1",
            "::/129",
        ] {
            assert!(bad.parse::<Network>().is_err(), "{bad}");
        }
    }
}
