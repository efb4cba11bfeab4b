//! Building providers.

use tarsy_llm::{InvalidSettings, ProviderKind, ProviderSettings, Providers, RetryPolicy, Secret};
use tarsy_testing::fake_llm::FakeLlm;

use crate::{PROVIDERS, build, question, settings};

#[tokio::test]
async fn a_base_url_works_with_and_without_a_slash() {
    for (kind, format) in PROVIDERS {
        let fake = FakeLlm::answering("here").await.unwrap();
        let url = fake.base_url(format);
        for url in [url.trim_end_matches('/'), &url, &format!("{url}/")] {
            let reply = build(settings(kind, url)).chat(&question("Where?")).await;
            assert_eq!(reply.unwrap().text, "here", "{kind} {url}");
        }
    }
}

#[test]
fn settings_that_cannot_work_are_refused_when_building() {
    let refused = |settings: ProviderSettings| Providers::build([settings]).unwrap_err();
    let good = || settings(ProviderKind::OpenAi, "http://gw/v1");

    let mut bad = good();
    bad.model = " ".into();
    assert!(matches!(refused(bad), InvalidSettings::NoModel { .. }));
    let mut bad = good();
    bad.base_url = Some("http://me:secret@gw/".into());
    let error = refused(bad);
    assert!(matches!(error, InvalidSettings::BaseUrl { .. }));
    assert!(!format!("{error} {error:?}").contains("secret"));
    let mut bad = good();
    bad.extra_headers = vec![("x y".into(), Secret::new("v"))];
    assert!(matches!(refused(bad), InvalidSettings::Header { .. }));
    let mut bad = good();
    bad.api_key = Secret::new("line\nbreak");
    assert!(matches!(refused(bad), InvalidSettings::Header { .. }));
    let mut bad = good();
    bad.tls.extra_roots_pem =
        Some("-----BEGIN CERTIFICATE-----\nbm90IGEgY2VydA==\n-----END CERTIFICATE-----\n".into());
    assert!(matches!(refused(bad), InvalidSettings::Client { .. }));
    let bad = ProviderSettings::new("s", ProviderKind::Scripted, "");
    assert!(matches!(refused(bad), InvalidSettings::Script { .. }));
    assert!(matches!(
        Providers::build([good(), good()]).unwrap_err(),
        InvalidSettings::Duplicate { .. }
    ));
}

#[test]
fn unknown_providers_are_named() {
    let providers = Providers::build([settings(ProviderKind::Ollama, "http://gpu:11434")]).unwrap();
    let fallbacks = ["nobody".to_owned()];
    let error = providers
        .with_fallbacks("ollama", &fallbacks, RetryPolicy::default())
        .unwrap_err();
    assert_eq!(error.to_string(), "unknown provider `nobody`");
}
