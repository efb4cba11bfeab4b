//! Distinguishes public from private addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Blocks that are not globally reachable, from IANA's IPv4 special-purpose registry
/// (RFC 6890 and its successors), multicast (RFC 5771) and 6to4's relays (RFC 7526).
const NOT_PUBLIC_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
    (Ipv4Addr::BROADCAST, 32),
];

/// IPv6 blocks within `2000::/3`, the only range in use, that are not globally reachable: protocol assignments with
/// Teredo and ORCHID, documentation, 6to4.
const NOT_PUBLIC_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether an address is globally reachable.
///
/// IPv4-mapped addresses and 6to4 addresses are always refused. An address with the well-known NAT64 prefix
/// (`64:ff9b::/96`) is as public as the IPv4 address in it. In an IPv6-only cluster, every name has such an address.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !NOT_PUBLIC_V4
            .iter()
            .any(|(base, bits)| within_v4(v4, *base, *bits)),
        IpAddr::V6(v6) => match v6.segments() {
            [0x64, 0xff9b, 0, 0, 0, 0, _, _] => {
                let [.., a, b, c, d] = v6.octets();
                is_public(IpAddr::V4(Ipv4Addr::new(a, b, c, d)))
            }
            [first, ..] => {
                first & 0xe000 == 0x2000
                    && !NOT_PUBLIC_V6
                        .iter()
                        .any(|(base, bits)| within_v6(v6, *base, *bits))
            }
        },
    }
}

fn within_v4(address: Ipv4Addr, base: Ipv4Addr, bits: u32) -> bool {
    (address.to_bits() ^ base.to_bits()).leading_zeros() >= bits
}

fn within_v6(address: Ipv6Addr, base: Ipv6Addr, bits: u32) -> bool {
    (address.to_bits() ^ base.to_bits()).leading_zeros() >= bits
}

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn addresses_inside_somebodys_network_are_not_public() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.1.2.3",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b::7f00:1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2002:808:808::",
            "3fff::1",
            "5f00::1",
            "fc00::1",
            "fd00:ec2::254",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn addresses_on_the_internet_are_public() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "128.0.0.1",
            "140.82.121.4",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:50c0:8000::154",
            "2a00:1450:4001::1",
            "2001:4860:4860::8888",
            "64:ff9b::8.8.8.8",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }
}
