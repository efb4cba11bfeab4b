//! Page that a browser is sent to after sign-in. It is always a page of this service, regardless of
//! the requested path.

use url::Url;

/// Apps that browsers sign in to, below the public URL. The first is the default.
const APPS: [&str; 2] = ["dashboard/", "dev-ui/"];
/// Parameter with the reason why a sign-in failed.
const FAILED: &str = "sign_in_failed";

/// Returns the address of the page at `path` below `public_url`, or of the dashboard if `path` is
/// not a page of one of the apps.
pub(super) fn address(public_url: &str, path: &str) -> String {
    let page = page(public_url, path);
    page.map_or_else(|| home(public_url), String::from)
}

/// Returns the same address as [`address`], with the reason of a failed sign-in.
pub(super) fn address_of_failure(public_url: &str, path: &str, code: &str) -> String {
    let address = address(public_url, path);
    match Url::parse(&address) {
        Ok(mut url) => {
            let others = url.query_pairs().filter(|(name, _)| name != FAILED);
            let others: Vec<_> = others
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect();
            url.query_pairs_mut()
                .clear()
                .extend_pairs(others)
                .append_pair(FAILED, code);
            url.into()
        }
        Err(_) => address,
    }
}

/// Returns the address of the dashboard.
pub(super) fn home(public_url: &str) -> String {
    format!("{public_url}/{}", APPS[0])
}

fn page(public_url: &str, path: &str) -> Option<Url> {
    let base = Url::parse(&format!("{public_url}/")).ok()?;
    // `./` keeps a path that looks like an address from being read as one.
    let page = base
        .join(&format!("./{}", path.trim_start_matches('/')))
        .ok()?;
    let below = page.path().strip_prefix(base.path())?;
    let is_own_page =
        page.origin() == base.origin() && APPS.iter().any(|app| below.starts_with(app));
    is_own_page.then_some(page)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: &str = "https://ops.example/tarsy";

    #[test]
    fn a_sign_in_returns_to_an_own_page() {
        for path in [
            "/dashboard/fleet?state=failed&a=%2F#notifications",
            "/dashboard/",
            "/dev-ui/?x=https://evil.example",
        ] {
            assert_eq!(address(PUBLIC, path), format!("{PUBLIC}{path}"));
        }
        let plain = address("http://127.0.0.1:8000", "dashboard/usage");
        assert_eq!(plain, "http://127.0.0.1:8000/dashboard/usage");
    }

    #[test]
    fn any_other_page_becomes_the_dashboard() {
        for path in [
            "",
            "/",
            "//evil.example/dashboard/",
            "https://evil.example/dashboard/",
            "https:evil.example/dashboard/",
            "\\\\evil.example\\dashboard/",
            "/\\evil.example/dashboard/",
            "/\t/evil.example/dashboard/",
            "\n//evil.example/dashboard/",
            "@evil.example/dashboard/",
            "/../../dashboard/",
            "/dashboard/../../secret",
            "/dashboard/%2e%2e/%2e%2e/secret",
            "/dashboard",
            "/dashboard.evil.example/",
            "/api/v1/me",
            "javascript:alert(1)",
        ] {
            assert_eq!(address(PUBLIC, path), home(PUBLIC), "{path:?}");
        }
    }

    #[test]
    fn a_failure_is_a_parameter_of_the_page() {
        let address =
            address_of_failure(PUBLIC, "/dashboard/fleet?a=b&sign_in_failed=x#c", "denied");
        assert_eq!(
            address,
            format!("{PUBLIC}/dashboard/fleet?a=b&sign_in_failed=denied#c")
        );
        let address = address_of_failure(PUBLIC, "//evil.example", "denied");
        assert_eq!(
            address,
            format!("{PUBLIC}/dashboard/?sign_in_failed=denied")
        );
    }
}
