//! Error responses with the wording of real providers.

use std::time::Duration;

use tarsy_llm::{ErrorClass, ProviderKind};
use tarsy_testing::fake_llm::{Behaviour, FakeLlm, WireFormat};

use crate::{model, question};
use ErrorClass::{
    Auth, ContextLength, InvalidRequest, Overloaded, RateLimited, Refused, ServerError,
};

struct Case {
    kind: ProviderKind,
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
    class: ErrorClass,
    retry_after_ms: Option<u64>,
}

const fn case(kind: ProviderKind, status: u16, body: &'static str, class: ErrorClass) -> Case {
    Case {
        kind,
        status,
        headers: &[],
        body,
        class,
        retry_after_ms: None,
    }
}

const DATE: (&str, &str) = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");

#[rustfmt::skip]
const CASES: &[Case] = &[
    // OpenAI
    case(ProviderKind::OpenAi, 400, r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130411 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#, ContextLength),
    case(ProviderKind::OpenAi, 401, r#"{"error":{"message":"Incorrect API key provided: sk-x***.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}"#, Auth),
    case(ProviderKind::OpenAi, 429, r#"{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}"#, Auth),
    case(ProviderKind::OpenAi, 400, r#"{"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy.","code":"content_filter","status":400}}"#, Refused),
    case(ProviderKind::OpenAi, 404, r#"{"error":{"message":"The model `gpt-9` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}"#, InvalidRequest),
    case(ProviderKind::OpenAi, 503, r#"{"error":{"message":"The server is overloaded or not ready yet.","type":"server_error","param":null,"code":null}}"#, Overloaded),
    Case { headers: &[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "6m0s"), ("x-ratelimit-remaining-requests", "59"), ("x-ratelimit-reset-requests", "1h0m0s")], retry_after_ms: Some(360_000),
        ..case(ProviderKind::OpenAi, 429, r#"{"error":{"message":"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#, RateLimited) },
    Case { headers: &[("retry-after-ms", "1250"), ("retry-after", "2")], retry_after_ms: Some(1250),
        ..case(ProviderKind::OpenAi, 429, r#"{"error":{"message":"Rate limit reached","type":"requests","param":null,"code":"rate_limit_exceeded"}}"#, RateLimited) },
    case(ProviderKind::OpenAi, 429, r#"{"error":{"message":"Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 45000. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#, ContextLength),
    // The wait is only in the message, because a gateway dropped the headers. Azure words it differently.
    Case { retry_after_ms: Some(6_200),
        ..case(ProviderKind::OpenAi, 429, r#"{"error":{"message":"Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 4100. Please try again in 6.2s. Visit https://platform.openai.com/account/rate-limits to learn more.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}"#, RateLimited) },
    Case { retry_after_ms: Some(17_000),
        ..case(ProviderKind::OpenAi, 429, r#"{"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation have exceeded call rate limit of your current OpenAI S0 pricing tier. Please retry after 17 seconds."}}"#, RateLimited) },
    case(ProviderKind::OpenAi, 429, r#"{"error":{"message":"Rate limit reached. Please try again later.","type":"requests","param":null,"code":"rate_limit_exceeded"}}"#, RateLimited),
    case(ProviderKind::OpenAi, 400, r#"{"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy.","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}"#, Refused),
    case(ProviderKind::OpenAi, 400, r#"{"error":{"message":"Invalid 'messages[0].content': string too long. Expected a string with maximum length 1048576, but got a string with length 1500000 instead.","type":"invalid_request_error","param":"messages[0].content","code":"string_above_max_length"}}"#, ContextLength),
    case(ProviderKind::OpenAi, 400, r#"{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":null}}"#, ContextLength),
    case(ProviderKind::OpenAi, 402, r#"{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}"#, Auth),
    // An error with status 200, as sent by gateways such as OpenRouter and LiteLLM.
    case(ProviderKind::OpenAi, 200, r#"{"error":{"code":429,"message":"Provider returned error"}}"#, RateLimited),
    case(ProviderKind::OpenAi, 200, r#"{"error":{"code":"rate_limit_exceeded","message":"slow down"}}"#, RateLimited),
    // xAI
    case(ProviderKind::Xai, 400, r#"{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***. You can obtain an API key from https://console.x.ai."}"#, Auth),
    case(ProviderKind::Xai, 400, r#"{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 131073 tokens."}"#, ContextLength),
    case(ProviderKind::Xai, 403, r#"{"code":"The caller does not have permission to execute the specified operation","error":"Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_BIO"}"#, Refused),
    case(ProviderKind::Xai, 429, r#"{"code":"Some resource has been exhausted","error":"Your team has either used all available credits or reached its monthly spending limit."}"#, Auth),
    case(ProviderKind::Xai, 429, r#"{"code":"Some resource has been exhausted","error":"Too many requests for team. Your rate limit is 60 requests per minute."}"#, RateLimited),
    case(ProviderKind::Xai, 404, r#"{"code":"Some requested entity was not found","error":"The model grok-9 does not exist or your team does not have access to it."}"#, InvalidRequest),
    case(ProviderKind::Xai, 503, r#"{"code":"The service is currently unavailable","error":"Service temporarily unavailable. The model is at capacity and currently cannot serve this request."}"#, Overloaded),
    // Anthropic
    case(ProviderKind::Anthropic, 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#, ContextLength),
    case(ProviderKind::Anthropic, 413, r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#, ContextLength),
    case(ProviderKind::Anthropic, 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#, Auth),
    case(ProviderKind::Anthropic, 401, r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#, Auth),
    case(ProviderKind::Anthropic, 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC."}}"#, Auth),
    case(ProviderKind::Anthropic, 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}"#, Refused),
    case(ProviderKind::Anthropic, 400, r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000, decrease input length or `max_tokens` and try again"}}"#, ContextLength),
    case(ProviderKind::Anthropic, 404, r#"{"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}}"#, InvalidRequest),
    case(ProviderKind::Anthropic, 500, r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#, ServerError),
    // A provider that names a time to retry is busy.
    Case { headers: &[("retry-after", "3")], retry_after_ms: Some(3_000),
        ..case(ProviderKind::Anthropic, 500, r#"{"type":"error","error":{"type":"api_error","message":"Internal server error"}}"#, Overloaded) },
    Case { headers: &[("retry-after", "12"), ("x-should-retry", "true")], retry_after_ms: Some(12_000),
        ..case(ProviderKind::Anthropic, 529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Overloaded) },
    case(ProviderKind::Anthropic, 529, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#, Overloaded),
    Case { headers: &[DATE, ("anthropic-ratelimit-input-tokens-remaining", "0"), ("anthropic-ratelimit-input-tokens-reset", "1994-11-06T08:50:07Z")], retry_after_ms: Some(30_000),
        ..case(ProviderKind::Anthropic, 429, r#"{"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 40,000 input tokens per minute."}}"#, RateLimited) },
    Case { headers: &[DATE, ("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT")], retry_after_ms: Some(60_000),
        ..case(ProviderKind::Anthropic, 429, r#"{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}"#, RateLimited) },
    // Gemini
    case(ProviderKind::Gemini, 400, r#"{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}"#, Auth),
    case(ProviderKind::Gemini, 400, r#"{"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#, ContextLength),
    case(ProviderKind::Gemini, 503, r#"{"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}"#, Overloaded),
    Case { retry_after_ms: Some(34_070),
        ..case(ProviderKind::Gemini, 429, r#"{"error":{"code":429,"message":"You exceeded your current quota. Quota exceeded for metric: generate_content_free_tier_input_token_count, limit: 250000","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.QuotaFailure"},{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.07s"}]}}"#, RateLimited) },
    case(ProviderKind::Gemini, 200, r#"{"candidates":[{"content":{"parts":[{"text":"half an ans"}],"role":"model"},"finishReason":"SAFETY"}]}"#, Refused),
    case(ProviderKind::Gemini, 200, r#"{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL"}]}"#, ErrorClass::Malformed),
    case(ProviderKind::Gemini, 200, r#"{"promptFeedback":{"blockReason":"SAFETY","safetyRatings":[{"category":"HARM_CATEGORY_DANGEROUS_CONTENT","probability":"HIGH"}]},"usageMetadata":{"promptTokenCount":10}}"#, Refused),
    case(ProviderKind::Gemini, 200, r#"{"candidates":[{"finishReason":"RECITATION","index":0}],"usageMetadata":{"promptTokenCount":10}}"#, Refused),
    case(ProviderKind::Gemini, 200, r#"{"candidates":[{"content":{"parts":[],"role":"model"},"finishReason":"PROHIBITED_CONTENT"}]}"#, Refused),
    case(ProviderKind::Gemini, 200, r#"{"candidates":[{"finishReason":"SAFETY","safetyRatings":[]}]}"#, Refused),
    case(ProviderKind::Gemini, 200, r#"{"candidates":[],"usageMetadata":{"promptTokenCount":10}}"#, ErrorClass::Empty),
    case(ProviderKind::Gemini, 200, r#"{"usageMetadata":{"promptTokenCount":10,"totalTokenCount":10},"modelVersion":"gemini-9"}"#, ErrorClass::Empty),
    case(ProviderKind::Gemini, 200, r#"{"candidates":[{"content":{"role":"model"},"finishReason":"MAX_TOKENS"}],"usageMetadata":{"promptTokenCount":10,"thoughtsTokenCount":8000}}"#, ErrorClass::Empty),
    case(ProviderKind::Gemini, 500, r#"{"error":{"code":500,"message":"An internal error has occurred.","status":"INTERNAL"}}"#, ServerError),
    case(ProviderKind::Gemini, 403, r#"{"error":{"code":403,"message":"Your API key was reported as leaked. Please use another API key.","status":"PERMISSION_DENIED"}}"#, Auth),
    case(ProviderKind::Gemini, 400, r#"{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}"#, InvalidRequest),
    // Ollama
    case(ProviderKind::Ollama, 404, r#"{"error":"model 'llama9' not found"}"#, InvalidRequest),
    case(ProviderKind::Ollama, 500, r#"{"error":"the request exceeds the available context size"}"#, ContextLength),
    case(ProviderKind::Ollama, 503, r#"{"error":"server busy, please try again.  maximum pending requests exceeded"}"#, Overloaded),
    // Any provider: waits are limited, and invalid values are ignored.
    Case { headers: &[("retry-after", "9999999")], retry_after_ms: Some(86_400_000),
        ..case(ProviderKind::OpenAi, 429, "{}", RateLimited) },
    Case { headers: &[("retry-after", "soon")], ..case(ProviderKind::OpenAi, 429, "busy", RateLimited) },
    Case { headers: &[("retry-after", "-5")], ..case(ProviderKind::OpenAi, 429, "", RateLimited) },
    Case { headers: &[("retry-after", "0")], retry_after_ms: Some(0), ..case(ProviderKind::OpenAi, 503, "<html>", Overloaded) },
];

#[tokio::test]
async fn the_providers_own_words_are_understood() {
    for case in CASES {
        let format = match case.kind {
            ProviderKind::Xai => WireFormat::Xai,
            ProviderKind::Anthropic => WireFormat::Anthropic,
            ProviderKind::Gemini => WireFormat::Gemini,
            ProviderKind::Ollama => WireFormat::Ollama,
            _ => WireFormat::OpenAi,
        };
        let fake = FakeLlm::start(|_| Behaviour::Raw {
            status: case.status,
            content_type: "application/json".into(),
            body: case.body.into(),
            headers: case
                .headers
                .iter()
                .map(|(n, v)| ((*n).into(), (*v).into()))
                .collect(),
        })
        .await
        .unwrap();
        let error = model(&fake, case.kind, format)
            .chat(&question("Why?"))
            .await
            .unwrap_err();
        let shown = format!("{} {} {}: {error}", case.kind, case.status, case.body);
        assert_eq!(error.class, case.class, "{shown}");
        assert_eq!(
            error.retry_after,
            case.retry_after_ms.map(Duration::from_millis),
            "{shown}"
        );
    }
}
