//! Rate limit of clients that send no credentials, or invalid ones.
//!
//! They have separate buckets, one for each address and one for all, so that their floods take
//! nothing from authenticated callers.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tarsy_config::settings::RateLimit;

use crate::access::bucket::{Bucket, Rate};

/// Maximum number of tracked addresses. Further ones only use the bucket that all share.
const MOST_ADDRESSES: usize = 20_000;
/// An address gets this fraction (1 in 10) of an authenticated caller's rate.
const ONE_OF: u32 = 10;

#[derive(Debug)]
pub(super) struct FailedAttempts {
    rates: Option<Rates>,
    buckets: Mutex<Buckets>,
}

#[derive(Clone, Copy, Debug)]
struct Rates {
    one: Rate,
    all: Rate,
}

#[derive(Debug)]
struct Buckets {
    all: Bucket,
    one: HashMap<IpAddr, Bucket>,
}

impl FailedAttempts {
    pub(super) fn new(limit: Option<RateLimit>) -> Self {
        let rates = limit.map(|limit| {
            let (per_second, burst) = (limit.per_second.get(), limit.burst.get());
            Rates {
                one: Rate::new(per_second.div_ceil(ONE_OF), burst.div_ceil(ONE_OF)),
                all: Rate::new(per_second.max(ONE_OF), burst.max(ONE_OF)),
            }
        });
        Self {
            rates,
            buckets: Mutex::new(Buckets {
                all: Bucket::full(Instant::now()),
                one: HashMap::new(),
            }),
        }
    }

    /// Counts a failed attempt of an address. Fails with the time to wait if there were too many.
    pub(super) fn charge(&self, address: IpAddr, now: Instant) -> Result<(), Duration> {
        let Some(Rates { one, all }) = self.rates else {
            return Ok(());
        };
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !buckets.one.contains_key(&address);
        if is_new && buckets.one.len() >= MOST_ADDRESSES {
            buckets.one.retain(|_, bucket| !bucket.is_full(now));
        }
        if !is_new || buckets.one.len() < MOST_ADDRESSES {
            let bucket = buckets.one.entry(address).or_insert(Bucket::full(now));
            bucket.take(one, now)?;
        }
        buckets.all.take(all, now)
    }

    /// Checks that an address has attempts left, without counting one. Fails with the time to wait.
    pub(super) fn must_wait(&self, address: IpAddr, now: Instant) -> Result<(), Duration> {
        let Some(Rates { one, all }) = self.rates else {
            return Ok(());
        };
        let buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        // The tokens are taken from copies of the buckets, so nothing is counted.
        let mut own = buckets.one.get(&address).copied();
        own.as_mut()
            .map_or(Ok(()), |bucket| bucket.take(one, now))?;
        let mut shared = buckets.all;
        drop(buckets);
        shared.take(all, now)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::num::NonZeroU32;

    use super::*;

    fn strangers(rate: u32) -> FailedAttempts {
        let rate = NonZeroU32::new(rate).unwrap();
        FailedAttempts::new(Some(RateLimit {
            per_second: rate,
            burst: rate,
        }))
    }

    fn address(n: u32) -> IpAddr {
        Ipv4Addr::from_bits(n).into()
    }

    #[test]
    fn an_address_empties_its_own_bucket_and_all_of_them_the_one_of_all() {
        let (strangers, now) = (strangers(20), Instant::now());
        let charged = |n| strangers.charge(address(n), now).is_ok();
        assert_eq!([charged(1), charged(1), charged(1)], [true, true, false]);
        assert!(strangers.must_wait(address(1), now).is_err());
        assert!(strangers.must_wait(address(2), now).is_ok());
        assert_eq!((2..100).filter(|n| charged(*n)).count(), 18);
        assert!(strangers.must_wait(address(200), now).is_err());
    }

    #[test]
    fn addresses_beyond_the_table_are_not_remembered() {
        let (strangers, now) = (strangers(1_000_000), Instant::now());
        for n in 0..=u32::try_from(MOST_ADDRESSES).unwrap() {
            strangers.charge(address(n), now).unwrap();
        }
        assert_eq!(strangers.buckets.lock().unwrap().one.len(), MOST_ADDRESSES);
    }
}
