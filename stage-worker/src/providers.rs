//! Builds models from configured providers.

use tarsy_config::{Config, ProviderConfig};
use tarsy_llm::{Price, ProviderSettings, Providers, ScriptSource, Secret, TlsSettings};

use crate::AssembleError;

/// Builds all configured providers. Makes no network call.
///
/// # Errors
///
/// [`AssembleError`] for a provider that cannot work as configured.
pub fn providers(config: &Config) -> Result<Providers, AssembleError> {
    let settings = config
        .providers
        .values()
        // A provider that lacks something (a key, a script) is never called; see `Config::provider_for`.
        .filter(|provider| provider.available)
        .map(|provider| settings(config, provider))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Providers::build(settings)?)
}

fn settings(config: &Config, provider: &ProviderConfig) -> Result<ProviderSettings, AssembleError> {
    let extra_roots_pem = match &provider.tls.ca_file {
        Some(path) => {
            Some(
                std::fs::read_to_string(path).map_err(|source| AssembleError::CaFile {
                    provider: provider.name.clone(),
                    path: path.clone(),
                    source,
                })?,
            )
        }
        None => None,
    };
    let mut settings = ProviderSettings::new(&provider.name, provider.kind, &provider.model);
    if let Some(key) = &provider.api_key {
        settings.api_key = key.clone();
    }
    settings.base_url = provider.base_url.as_ref().map(|url| url.value().to_owned());
    settings.cloud = provider.cloud.clone();
    settings.temperature = provider.temperature;
    settings.max_tokens = provider.max_tokens;
    settings.reasoning_effort = provider.reasoning_effort;
    settings.reply_format = provider.reply_format;
    settings.capture_thinking = provider.thinking;
    settings.stall_timeout = provider.stall_timeout;
    settings.first_token_timeout = provider.first_token_timeout;
    let headers = provider.headers.iter();
    let headers = headers.map(|(name, value)| (name.clone(), Secret::new(value.value())));
    settings.extra_headers = headers.collect();
    if let Some(timeout) = provider.timeout {
        settings.timeout = timeout;
    }
    settings.tls = TlsSettings {
        accept_invalid_certificates: !provider.tls.verify,
        extra_roots_pem,
    };
    settings.context_window = provider.context_window;
    let listed = config.catalogue_price_of(provider);
    settings.price = config.price_of(provider).map(|price| Price {
        input_per_million: price.input_per_million,
        output_per_million: price.output_per_million,
        cached_input_per_million: Some(price.cached_input_per_million),
        cache_write_per_million: Some(price.cache_write_per_million),
        up_to_input_tokens: listed.and_then(|listed| listed.up_to_input_tokens),
        as_of: listed.map(|listed| listed.as_of),
    });
    settings.script = provider.script.clone().map(ScriptSource::File);
    Ok(settings)
}
