//! Models in clouds: the URLs of calls, their authorisation, and how the cloud changes the request.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use ring::{digest, hmac};
use serde_json::{Value, json};
use tarsy_llm::{
    AnswerObserver, AnswerPart, AnswerStream, ChatMessage, ChatRequest, CloudCredentials,
    ErrorClass, ProviderKind, ProviderSettings, ReasoningEffort, Secret, ToolSpec,
};
use tarsy_testing::fake_llm::{Behaviour, FakeAnswer, FakeLlm, SeenRequest, WireFormat};

use crate::{KEY, build, question, settings};

struct DiscardingObserver;

impl AnswerObserver for DiscardingObserver {
    fn attempt(&self) {}
    fn piece(&self, _: AnswerPart, _: &str) {}
}

fn watched() -> ChatRequest {
    ChatRequest {
        stream: AnswerStream::to(Arc::new(DiscardingObserver)),
        ..question("Why?")
    }
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "pods".into(),
        description: String::new(),
        schema: json!({"type": "object", "properties": {"ns": {"type": "string"}}}),
    }
}

/// Asks once without and once with streaming. Returns the requests that arrived.
async fn requests_of(fake: &FakeLlm, settings: ProviderSettings) -> Vec<SeenRequest> {
    let stream = Behaviour::Stream {
        answer: FakeAnswer::text("It is the disk."),
        size: 4,
        every_ms: 0,
        cut_after: None,
    };
    fake.queue([Behaviour::text("It is the disk."), stream]);
    let model = build(settings);
    for request in [question("Why?"), watched()] {
        let reply = model.chat(&request).await.unwrap();
        assert_eq!(reply.text, "It is the disk.");
        assert_eq!(reply.usage.unwrap().input_tokens, 100);
    }
    fake.requests()
}

#[tokio::test]
async fn azure_is_asked_at_its_deployment_with_its_header() {
    let fake = FakeLlm::answering("unused").await.unwrap();
    let mut azure = settings(ProviderKind::AzureOpenAi, fake.base_url(WireFormat::Azure));
    azure.cloud.deployment = Some("prod-gpt".into());
    for seen in requests_of(&fake, azure.clone()).await {
        assert_eq!(
            seen.path,
            "/azure/openai/deployments/prod-gpt/chat/completions?api-version=2024-10-21"
        );
        assert_eq!(seen.header("api-key"), Some(KEY));
        assert_eq!(seen.header("authorization"), None);
        assert_eq!(seen.body["model"], "model-1");
    }
    // The newer API has no deployments and no versions.
    let fake = FakeLlm::answering("unused").await.unwrap();
    azure.base_url = Some(fake.base_url(WireFormat::OpenAi));
    for seen in requests_of(&fake, azure).await {
        assert_eq!(seen.path, "/openai/v1/chat/completions");
        assert_eq!(seen.header("api-key"), Some(KEY));
    }
}

/// Returns the AWS signature for a request that arrived, computed by the steps that the vendor describes.
fn signature_of(seen: &SeenRequest, body: &str, secret: &str) -> String {
    let given = seen.header("authorization").unwrap();
    let part = |name: &str| {
        let (_, rest) = given.split_once(name).unwrap();
        rest.split(',').next().unwrap().to_owned()
    };
    let names = part("SignedHeaders=");
    let scope = part("Credential=");
    let (_, scope) = scope.split_once('/').unwrap();
    let hex = |bytes: &[u8]| -> String { bytes.iter().map(|byte| format!("{byte:02x}")).collect() };
    let hash = |text: &str| hex(digest::digest(&digest::SHA256, text.as_bytes()).as_ref());
    let headers: String = names
        .split(';')
        .map(|name| format!("{name}:{}\n", seen.header(name).unwrap()))
        .collect();
    let path = seen.path.replace('%', "%25");
    let canonical = format!("POST\n{path}\n\n{headers}\n{names}\n{}", hash(body));
    let date = seen.header("x-amz-date").unwrap();
    let text = format!("AWS4-HMAC-SHA256\n{date}\n{scope}\n{}", hash(&canonical));
    let mac = |key: &[u8], text: &str| {
        hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes())
            .as_ref()
            .to_vec()
    };
    let key = scope
        .split('/')
        .fold(format!("AWS4{secret}").into_bytes(), |key, part| {
            mac(&key, part)
        });
    hex(&mac(&key, &text))
}

#[tokio::test]
async fn bedrock_is_asked_with_a_signature() {
    let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    let arn = "arn:aws:bedrock:eu-central-1::foundation-model/amazon.nova-pro-v1:0";
    for (model, path) in [
        (
            "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0",
        ),
        (
            arn,
            "arn%3Aaws%3Abedrock%3Aeu-central-1%3A%3Afoundation-model%2Famazon.nova-pro-v1%3A0",
        ),
        ("openai.gpt-oss-high", "openai.gpt-oss-high"),
    ] {
        for session_token in [None, Some(Secret::new("a-session-token"))] {
            let fake = FakeLlm::answering("unused").await.unwrap();
            let mut bedrock = settings(ProviderKind::Bedrock, fake.base_url(WireFormat::Bedrock));
            bedrock.api_key = Secret::default();
            bedrock.model = model.into();
            bedrock.cloud.region = Some("eu-central-1".into());
            bedrock.cloud.credentials = Some(CloudCredentials::Aws {
                access_key_id: "AKIDEXAMPLE".into(),
                secret_access_key: Secret::new(secret),
                session_token: session_token.clone(),
            });
            let seen = requests_of(&fake, bedrock).await;
            let methods = ["converse", "converse-stream"];
            for (seen, method) in seen.iter().zip(methods) {
                assert_eq!(seen.path, format!("/bedrock/model/{path}/{method}"));
                let given = seen.header("authorization").unwrap();
                let credential = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/";
                assert!(given.starts_with(credential), "{given}");
                assert!(
                    given.contains("/eu-central-1/bedrock/aws4_request"),
                    "{given}"
                );
                let expected = signature_of(seen, &seen.body.to_string(), secret);
                assert!(given.ends_with(&format!("Signature={expected}")), "{given}");
                assert_eq!(
                    seen.header("x-amz-security-token"),
                    session_token.as_ref().map(Secret::expose)
                );
            }
        }
    }
}

#[tokio::test]
async fn bedrock_is_asked_with_its_api_key() {
    let fake = FakeLlm::answering("unused").await.unwrap();
    let bedrock = settings(ProviderKind::Bedrock, fake.base_url(WireFormat::Bedrock));
    let seen = requests_of(&fake, bedrock).await;
    let bearer = format!("Bearer {KEY}");
    assert_eq!(seen[0].header("authorization"), Some(bearer.as_str()));
    assert_eq!(
        seen[0].body["messages"],
        json!([{"role": "user", "content": [{"text": "Why?"}]}])
    );
    assert_eq!(
        seen[0].body["system"],
        json!([{"text": "You investigate."}])
    );
}

#[tokio::test]
async fn bedrock_gets_what_it_takes() {
    let fake = FakeLlm::answering("done").await.unwrap();
    let model = build(settings(
        ProviderKind::Bedrock,
        fake.base_url(WireFormat::Bedrock),
    ));
    let mut request = question("Why?");
    request.tools = vec![tool()];
    request.forbid_tools = true;
    // Bedrock has no way to forbid tool calls.
    model.chat(&request).await.unwrap();
    assert_eq!(fake.requests()[0].tools, Vec::<String>::new());
    fake.queue([Behaviour::Answer(FakeAnswer::tool_calls([(
        "pods",
        json!({}),
    )]))]);
    let calling = ChatRequest {
        forbid_tools: false,
        ..request.clone()
    };
    let reply = model.chat(&calling).await.unwrap();
    request.messages.push(reply.to_message());
    let id = &reply.tool_calls[0].id;
    request.messages.push(ChatMessage::tool(id, " \n"));
    // A conversation with calls still needs the tools. A further call does not count as an answer.
    fake.queue([Behaviour::Answer(FakeAnswer {
        text: "It is the disk.".into(),
        ..FakeAnswer::tool_calls([("pods", json!({}))])
    })]);
    let reply = model.chat(&request).await.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.tool_calls.len()),
        ("It is the disk.", 0)
    );
    let seen = &fake.requests()[2];
    assert_eq!(seen.tools, ["pods"]);
    let spec = &seen.body["toolConfig"]["tools"][0]["toolSpec"];
    assert_eq!(spec.get("description"), None, "an empty one is refused");
    let result = &seen.body["messages"][2]["content"][0]["toolResult"];
    assert_eq!(result["content"], json!([{"text": "(empty)"}]));
}

#[tokio::test]
async fn errors_of_bedrock_have_their_class() {
    let fake = FakeLlm::answering("unused").await.unwrap();
    let model = build(settings(
        ProviderKind::Bedrock,
        fake.base_url(WireFormat::Bedrock),
    ));
    let failed = |status, message: &str| Behaviour::Fail {
        status,
        code: None,
        message: message.into(),
        headers: vec![("x-amzn-errortype".into(), "AnException:".into())],
    };
    for (behaviour, class) in [
        (
            failed(429, "Too many tokens, please wait."),
            ErrorClass::RateLimited,
        ),
        (
            failed(403, "The security token is expired."),
            ErrorClass::Auth,
        ),
        (
            failed(400, "Input is too long for requested model."),
            ErrorClass::ContextLength,
        ),
        (
            failed(400, "The provided model identifier is invalid."),
            ErrorClass::InvalidRequest,
        ),
        (failed(424, "The model failed."), ErrorClass::ServerError),
        (failed(503, "Try again."), ErrorClass::Overloaded),
    ] {
        fake.queue([behaviour]);
        let error = model.chat(&question("Why?")).await.unwrap_err();
        assert_eq!(error.class, class, "{error}");
    }
}

fn vertex(fake: &FakeLlm, format: WireFormat, credentials: CloudCredentials) -> ProviderSettings {
    let mut vertex = settings(ProviderKind::Vertex, fake.base_url(format));
    vertex.api_key = Secret::default();
    vertex.cloud.region = Some("europe-west1".into());
    vertex.cloud.credentials = Some(credentials);
    vertex
}

fn metadata_of(fake: &FakeLlm) -> CloudCredentials {
    let host = fake.admin_url().replace("http://", "");
    CloudCredentials::GoogleMetadata(host)
}

#[tokio::test]
async fn gemini_on_vertex_is_asked_with_the_token_of_the_machine() {
    let fake = FakeLlm::answering("unused").await.unwrap();
    let mut vertex = vertex(&fake, WireFormat::VertexGemini, metadata_of(&fake));
    vertex.extra_headers = vec![("x-team".into(), Secret::new("sre"))];
    let seen = requests_of(&fake, vertex).await;
    let place = "/vertex/v1/projects/p-1/locations/europe-west1/publishers/google/models/model-1";
    assert_eq!(seen[0].path, format!("{place}:generateContent"));
    assert_eq!(
        seen[1].path,
        format!("{place}:streamGenerateContent?alt=sse")
    );
    for seen in seen {
        let bearer = Some("Bearer of-the-metadata-server");
        assert_eq!(seen.header("authorization"), bearer);
        assert_eq!(seen.header("x-goog-api-key"), None);
        assert_eq!(seen.header("x-team"), Some("sre"));
    }
}

#[tokio::test]
async fn claude_on_vertex_is_asked_in_its_makers_format() {
    let fake = FakeLlm::answering("unused").await.unwrap();
    let mut vertex = vertex(&fake, WireFormat::VertexClaude, metadata_of(&fake));
    vertex.model = "claude-sonnet-4-5@20250929".into();
    let seen = requests_of(&fake, vertex).await;
    let place = "/vertex-claude/v1/projects/p-1/locations/europe-west1/publishers/anthropic/models/claude-sonnet-4-5@20250929";
    assert_eq!(seen[0].path, format!("{place}:rawPredict"));
    assert_eq!(seen[1].path, format!("{place}:streamRawPredict"));
    for seen in seen {
        assert_eq!(seen.body["anthropic_version"], "vertex-2023-10-16");
        assert_eq!(seen.body.get("model"), None);
        assert_eq!(seen.header("x-api-key"), None);
    }
}

/// An RSA key made for a test, because `ring` can't generate one.
const RSA: &str = include_str!("../../../mcp/src/auth/fixtures/rsa-2048.pkcs8.base64");

#[tokio::test]
async fn a_service_account_signs_for_its_token() {
    let fake = FakeLlm::answering("unused").await.unwrap();
    let (begin, end) = ("-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----");
    let token_uri = format!("{}/google/token", fake.admin_url());
    let file = json!({
        "type": "service_account", "client_email": "tarsy@p-1.iam.gserviceaccount.com", "private_key_id": "k-1",
        "private_key": format!("{begin}\n{RSA}\n{end}\n"), "token_uri": token_uri,
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("key.json");
    std::fs::write(&path, file.to_string()).unwrap();
    let credentials = CloudCredentials::GoogleKeyFile(path.clone());
    let seen = requests_of(&fake, vertex(&fake, WireFormat::VertexGemini, credentials)).await;
    let bearer = seen[0].header("authorization").unwrap();
    assert_eq!(
        seen[1].header("authorization"),
        Some(bearer),
        "one token for both"
    );
    let jwt = bearer.strip_prefix("Bearer ").unwrap();
    let (signed, signature) = jwt.rsplit_once('.').unwrap();
    let der: String = RSA.split_whitespace().collect();
    let key = RsaKeyPair::from_pkcs8(&STANDARD.decode(der).unwrap()).unwrap();
    let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public_key());
    let signature = URL_SAFE_NO_PAD.decode(signature).unwrap();
    public.verify(signed.as_bytes(), &signature).unwrap();
    let (_, claims) = signed.split_once('.').unwrap();
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(claims).unwrap()).unwrap();
    assert_eq!(claims["iss"], "tarsy@p-1.iam.gserviceaccount.com");
    assert_eq!(claims["aud"], token_uri);
    assert_eq!(
        claims["scope"],
        "https://www.googleapis.com/auth/cloud-platform"
    );

    for (content, why) in [
        ("{", "not a key file of Google"),
        (
            r#"{"type": "external_account"}"#,
            "`external_account` are not supported",
        ),
    ] {
        std::fs::write(&path, content).unwrap();
        let credentials = CloudCredentials::GoogleKeyFile(path.clone());
        let vertex = vertex(&fake, WireFormat::VertexGemini, credentials);
        let refused = tarsy_llm::Providers::build([vertex]).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
}

#[tokio::test]
async fn a_token_that_is_refused_is_an_error_of_authorisation() {
    let fake = FakeLlm::answering("unused").await.unwrap();
    let host = format!("{}/nowhere", fake.admin_url().replace("http://", ""));
    let vertex = vertex(
        &fake,
        WireFormat::VertexGemini,
        CloudCredentials::GoogleMetadata(host),
    );
    let error = build(vertex).chat(&question("Why?")).await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Auth, "{error}");
}

#[tokio::test]
async fn responses_are_asked_without_being_stored() {
    let fake = FakeLlm::answering("done").await.unwrap();
    let url = fake.base_url(WireFormat::Responses);
    let mut responses = settings(ProviderKind::OpenAiResponses, url);
    responses.reasoning_effort = Some(ReasoningEffort::High);
    let model = build(responses);
    let mut request = question("Why?");
    request.tools = vec![tool()];
    request.forbid_tools = true;
    request.reasoning_effort = Some(ReasoningEffort::Low);
    model.chat(&request).await.unwrap();
    let seen = fake.requests().remove(0);
    assert_eq!(seen.path, "/responses/v1/responses");
    let body = &seen.body;
    assert_eq!(body["store"], false);
    assert_eq!(body["tool_choice"], "none");
    assert_eq!(
        body["tools"][0]["strict"], false,
        "optional arguments stay optional"
    );
    assert_eq!(
        body["reasoning"],
        json!({"effort": "low", "summary": "detailed"})
    );

    // A model or an account that does not return thoughts is asked again without them, once.
    let fake = FakeLlm::answering("done").await.unwrap();
    fake.queue([Behaviour::fail(
        400,
        "Unsupported parameter: 'reasoning.summary' is not supported with this model.",
    )]);
    let url = fake.base_url(WireFormat::Responses);
    let model = build(settings(ProviderKind::OpenAiResponses, url));
    for _ in 0..2 {
        assert_eq!(model.chat(&question("Why?")).await.unwrap().text, "done");
    }
    let is_storing: Vec<bool> = fake
        .requests()
        .iter()
        .map(|seen| seen.body.get("reasoning").is_some())
        .collect();
    assert_eq!(is_storing, [true, false, false]);
}
