//! Fake of a browser that signs in at an identity provider: cookies and redirects.

use std::collections::BTreeMap;

use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use url::Url;

use crate::server::{Answer, IntoAnswer as _, Server};

/// Public URL of the service, with a path. Nothing listens there; requests go to the service directly.
pub(super) const PUBLIC: &str = "https://tarsy.example/ops";
pub(super) const CALLBACK: &str = "https://tarsy.example/ops/api/v1/sign-in/oidc/callback";

/// Fake of a browser.
pub(super) struct Browser<'s> {
    server: &'s Server,
    client: Client,
    /// Cookies of the service.
    pub(super) service_cookies: BTreeMap<String, String>,
    /// Cookies of the provider.
    provider_cookies: BTreeMap<String, String>,
    /// `Set-Cookie` headers of the service's last response.
    pub(super) set: Vec<String>,
}

impl<'s> Browser<'s> {
    pub(super) fn new(server: &'s Server) -> Self {
        let client = Client::builder().no_proxy().redirect(Policy::none());
        Self {
            server,
            client: client.build().unwrap(),
            service_cookies: BTreeMap::new(),
            provider_cookies: BTreeMap::new(),
            set: Vec::new(),
        }
    }

    /// Begins a sign-in. Returns the provider's address.
    pub(super) async fn start(&mut self, return_to: &str) -> Url {
        let mut url = Url::parse(&format!("{PUBLIC}/api/v1/sign-in/oidc")).unwrap();
        url.query_pairs_mut().append_pair("return_to", return_to);
        self.open(url.as_str()).await.parse().unwrap()
    }

    /// Opens an address of the service. Returns the target of the redirect.
    pub(super) async fn open(&mut self, url: &str) -> String {
        let path = url.strip_prefix(PUBLIC).expect("an address of ours");
        let request = self.client.get(self.server.url(path));
        let answer = request
            .header("cookie", line(&self.service_cookies))
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), 303, "{answer:?}");
        assert_eq!(answer.headers()["cache-control"], "no-store");
        self.set = keep(&mut self.service_cookies, &answer);
        location(&answer)
    }

    /// Answers the certified provider's prompt. Returns the address that it sends the browser back to.
    pub(super) async fn answer(&mut self, provider: &Url, choice: &str) -> String {
        let question = self.at_provider(provider.as_str()).await;
        let answered = self.at_provider(&format!("{question}/{choice}")).await;
        self.at_provider(&answered).await
    }

    async fn at_provider(&mut self, url: &str) -> String {
        let request = self
            .client
            .get(url)
            .header("cookie", line(&self.provider_cookies));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 303, "{url}: {answer:?}");
        keep(&mut self.provider_cookies, &answer);
        let to = Url::parse(url).unwrap().join(&location(&answer));
        to.unwrap().into()
    }

    /// Signs in as this person at the certified provider. Returns the page that opens then.
    pub(super) async fn sign_in(&mut self, person: &str) -> String {
        let provider = self.start("/dashboard/fleet").await;
        let back = self.answer(&provider, &format!("as/{person}")).await;
        self.open(&back).await
    }

    /// Returns the caller's identity, as the service sees it.
    pub(super) async fn me(&self) -> Answer {
        let cookie = line(&self.service_cookies);
        self.server
            .get_with("/api/v1/me", &[("cookie", &cookie)])
            .await
    }

    /// Sends a POST request as a page of the service does.
    pub(super) async fn post(&self, path: &str, body: &str) -> Answer {
        let request = self.server.post_raw(path, body.to_owned());
        let request = request
            .header("cookie", line(&self.service_cookies))
            .header("origin", "https://tarsy.example")
            .header("x-tarsy-csrf", "1");
        request.send().await.unwrap().into_answer().await
    }
}

/// Returns the reason of a failed sign-in from the page's address.
pub(super) fn reason(page: &str) -> String {
    let url = Url::parse(page).unwrap();
    assert!(page.starts_with(&format!("{PUBLIC}/dashboard/")), "{page}");
    let mut pairs = url.query_pairs();
    let found = pairs.find(|(name, _)| name == "sign_in_failed");
    found
        .unwrap_or_else(|| panic!("it succeeded: {page}"))
        .1
        .into_owned()
}

pub(super) fn parameter(url: &Url, wanted: &str) -> String {
    let mut pairs = url.query_pairs();
    let found = pairs.find(|(name, _)| name == wanted);
    found
        .unwrap_or_else(|| panic!("no {wanted}: {url}"))
        .1
        .into_owned()
}

fn line(cookies: &BTreeMap<String, String>) -> String {
    let pairs = cookies
        .iter()
        .map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join("; ")
}

fn keep(cookies: &mut BTreeMap<String, String>, answer: &Response) -> Vec<String> {
    let set = answer.headers().get_all("set-cookie").iter();
    let set: Vec<String> = set.map(|line| line.to_str().unwrap().to_owned()).collect();
    for line in &set {
        let (name, value) = line.split(';').next().unwrap().split_once('=').unwrap();
        match value.is_empty() {
            true => cookies.remove(name),
            false => cookies.insert(name.to_owned(), value.to_owned()),
        };
    }
    set
}

fn location(answer: &Response) -> String {
    answer.headers()["location"].to_str().unwrap().to_owned()
}
