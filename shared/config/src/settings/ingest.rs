//! The HTTP service.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use super::reader::Reader;
use super::{AccessSettings, ConnectionSettings};

/// Addresses and limits of `ingest-api`.
#[derive(Clone, Debug)]
pub struct IngestSettings {
    /// `TARSY_LISTEN`. Default 127.0.0.1:8000.
    pub listen: SocketAddr,
    /// `TARSY_BODY_LIMIT_BYTES`: largest request body, in bytes. Default 1 MiB.
    pub body_limit_bytes: usize,
    /// `TARSY_WEBHOOK_BODY_LIMIT_BYTES`: largest body of a webhook, in bytes, after decompression.
    /// Default 16 MiB, or `TARSY_BODY_LIMIT_BYTES` if that is larger.
    pub webhook_body_limit_bytes: usize,
    /// `TARSY_JSON_MAX_DEPTH`: deepest nesting of an alert's data. Default 64.
    pub json_max_depth: usize,
    /// `TARSY_JSON_MAX_KEYS`: most keys of an alert's data. Default 10,000.
    pub json_max_keys: usize,
    /// `TARSY_BACKLOG_LIMIT`: number of sessions that may wait before alerts are answered with 503 and Retry-After.
    /// Default 100,000; 0: no limit. The waiting sessions are counted once a second, so alerts that are under way may
    /// exceed the limit.
    pub backlog_limit: u64,
    /// `TARSY_ALLOWED_ORIGINS`: web pages that may call the API and open live sockets, in addition to those of this
    /// machine; comma-separated, e.g. `https://tarsy.example`. Default: none.
    pub allowed_origins: Vec<String>,
    /// `TARSY_SCREENS_DIR`: directory of the built screens, with `dashboard/` and `dev-ui/` in it, or a checkout.
    /// Default: `screens` next to the program, `../share/tarsy/screens`, the checkout.
    pub screens_dir: Option<PathBuf>,
    /// `TARSY_DRAIN_DELAY`: how long the listener stays open after SIGTERM, while `/readyz` answers 503.
    /// Default 0.
    pub drain_delay: Duration,
    /// How many connections it accepts, and how long they may last.
    pub connections: ConnectionSettings,
    /// Access control.
    pub access: AccessSettings,
}

impl IngestSettings {
    pub(super) fn read(reader: &mut Reader<'_>, public_url: Option<&str>) -> Self {
        let default = SocketAddr::from((Ipv4Addr::LOCALHOST, 8000));
        let listen = reader.parse(
            "TARSY_LISTEN",
            &default.to_string(),
            "an address and a port, e.g. `127.0.0.1:8000`",
            "address of the HTTP service",
        );
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let body_limit = reader.integer(
            "TARSY_BODY_LIMIT_BYTES",
            1024 * 1024,
            (1024, 64 * 1024 * 1024),
            "largest request body in bytes",
        );
        let settings = Self {
            listen: listen.unwrap_or(default),
            body_limit_bytes: size(body_limit),
            webhook_body_limit_bytes: size(reader.integer(
                "TARSY_WEBHOOK_BODY_LIMIT_BYTES",
                body_limit.max(16 * 1024 * 1024),
                (1024, 64 * 1024 * 1024),
                "largest body of a webhook in bytes",
            )),
            json_max_depth: size(reader.integer(
                "TARSY_JSON_MAX_DEPTH",
                64,
                (4, tarsy_model::DEEPEST_DOCUMENT),
                "deepest nesting of an alert's data",
            )),
            json_max_keys: size(reader.integer(
                "TARSY_JSON_MAX_KEYS",
                10_000,
                (10, 1_000_000),
                "most keys of an alert's data",
            )),
            backlog_limit: reader.integer(
                "TARSY_BACKLOG_LIMIT",
                100_000,
                (0, u64::MAX),
                "pending sessions above which alerts get 503; 0: no limit",
            ),
            allowed_origins: origins(reader),
            screens_dir: reader
                .text(
                    "TARSY_SCREENS_DIR",
                    "beside the program",
                    "directory of the built dashboard and submit page",
                )
                .map(PathBuf::from),
            drain_delay: reader.duration(
                "TARSY_DRAIN_DELAY",
                Duration::ZERO,
                (Duration::ZERO, Duration::from_secs(300)),
                "how long the API's listener stays open after SIGTERM; 5s in Kubernetes",
            ),
            connections: ConnectionSettings::read(reader),
            access: AccessSettings::read(reader, public_url),
        };
        settings.check_origin(reader);
        settings
    }

    /// Reports an origin for sign-in that is not allowed: after the sign-in, actions of the browser would be refused.
    fn check_origin(&self, reader: &mut Reader<'_>) {
        let sign_in = self
            .access
            .oidc
            .as_ref()
            .and_then(|oidc| oidc.sign_in.as_ref());
        let public = sign_in.filter(|sign_in| sign_in.is_secure());
        let origin = public.and_then(|sign_in| url::Url::parse(&sign_in.public_url).ok());
        let origin = origin.map(|url| url.origin().ascii_serialization());
        if let Some(origin) = origin.filter(|origin| !self.allowed_origins.contains(origin)) {
            reader.problem(
                format!("`TARSY_ALLOWED_ORIGINS` lacks `{origin}`, which people sign in at"),
                "add the origin of `TARSY_PUBLIC_URL`: without it a browser can sign in and change nothing",
            );
        }
    }
}

/// Reads the allowed origins. An origin is a scheme, a host and an optional port. One with a path is a mistake.
fn origins(reader: &mut Reader<'_>) -> Vec<String> {
    const NAME: &str = "TARSY_ALLOWED_ORIGINS";
    let text = reader
        .text(
            NAME,
            "",
            "allowed origins of browsers (CORS and WebSockets), comma-separated",
        )
        .unwrap_or_default();
    let origins: Vec<String> = text
        .split(',')
        .map(str::trim)
        .filter(|origin| !origin.is_empty())
        .map(str::to_owned)
        .collect();
    for origin in &origins {
        let is_origin =
            url::Url::parse(origin).is_ok_and(|url| url.origin().ascii_serialization() == *origin);
        if !is_origin {
            reader.problem(
                format!("`{NAME}`: invalid origin `{origin}`"),
                "expected scheme, host and port as browsers send them, e.g. `https://tarsy.example`",
            );
        }
    }
    origins
}
