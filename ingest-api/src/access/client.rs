//! Client address of a request.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::HeaderMap;
use tarsy_config::settings::ConnectionSettings;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// Returns the client's address. That is the connection's peer or, after trusted proxies, the last
/// forwarded address that is not a proxy's. An IPv6 address is reduced to its /64 network, which
/// belongs to one client.
pub(super) fn address_of(
    peer: IpAddr,
    headers: &HeaderMap,
    settings: &ConnectionSettings,
) -> IpAddr {
    let mut client = peer.to_canonical();
    let lists = headers.get_all(FORWARDED_FOR).iter().rev();
    let texts = lists.filter_map(|list| list.to_str().ok());
    let mut named = texts.flat_map(|text| text.rsplit(','));
    while settings.is_trusted_proxy(client) {
        let Some(Ok(address)) = named.next().map(|text| text.trim().parse::<IpAddr>()) else {
            break;
        };
        client = address.to_canonical();
    }
    match client {
        IpAddr::V4(_) => client,
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use tarsy_config::settings::Settings;

    use super::*;

    #[test]
    fn only_a_trusted_proxy_names_the_user() {
        let environment =
            tarsy_config::Environment::from_pairs([("TARSY_TRUSTED_PROXIES", "10.0.0.0/8")]);
        let settings = Settings::read(&environment).unwrap().ingest.connections;
        for (peer, lists, expected) in [
            ("192.0.2.1", &["198.51.100.7"][..], "192.0.2.1"),
            ("10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            (
                "10.0.0.1",
                &["1.1.1.1, 198.51.100.7, 10.2.3.4"],
                "198.51.100.7",
            ),
            ("10.0.0.1", &["1.1.1.1", "198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", &["nonsense"], "10.0.0.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("::ffff:10.0.0.1", &["198.51.100.7"], "198.51.100.7"),
            ("2001:db8::1:2:3:4", &[], "2001:db8::"),
        ] {
            let mut headers = HeaderMap::new();
            for list in lists {
                headers.append(FORWARDED_FOR, HeaderValue::from_static(list));
            }
            let found = address_of(peer.parse().unwrap(), &headers, &settings);
            assert_eq!(
                found,
                expected.parse::<IpAddr>().unwrap(),
                "{peer} {lists:?}"
            );
        }
    }
}
