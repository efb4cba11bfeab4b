//! Looks up configured providers by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::remote::RemoteModel;
use crate::{
    ChatModel, ErrorClass, InvalidSettings, ModelWithFallbacks, ProviderKind, ProviderSettings,
    RetryPolicy, ScriptedModel,
};

/// Every configured provider, ready to be called.
#[derive(Clone, Debug, Default)]
pub struct Providers {
    models: BTreeMap<String, Arc<dyn ChatModel>>,
}

impl Providers {
    /// Builds all providers. Makes no network call. A provider without a key is built, too; its calls fail with
    /// `not_configured`.
    ///
    /// # Errors
    ///
    /// [`InvalidSettings`] of the first provider whose settings are invalid, or of a duplicate name.
    pub fn build(
        settings: impl IntoIterator<Item = ProviderSettings>,
    ) -> Result<Self, InvalidSettings> {
        let mut models: BTreeMap<String, Arc<dyn ChatModel>> = BTreeMap::new();
        for settings in settings {
            let name = settings.name.clone();
            let model: Arc<dyn ChatModel> = match settings.kind {
                ProviderKind::Scripted => Arc::new(ScriptedModel::from_settings(&settings)?),
                _ => Arc::new(RemoteModel::build(settings)?),
            };
            let results = std::iter::once("ok").chain(ErrorClass::WORDS.iter().copied());
            tarsy_metrics::llm::serve(&name, model.model_name(), results);
            if models.insert(name.clone(), model).is_some() {
                return Err(InvalidSettings::Duplicate { provider: name });
            }
        }
        Ok(Self { models })
    }

    /// Adds a model under its provider's name, or replaces the one there.
    pub fn insert(&mut self, model: Arc<dyn ChatModel>) {
        self.models.insert(model.provider().to_owned(), model);
    }

    /// Returns the model of a provider.
    #[must_use]
    pub fn get(&self, provider: &str) -> Option<Arc<dyn ChatModel>> {
        self.models.get(provider).cloned()
    }

    /// Iterates over all models with their provider's names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Arc<dyn ChatModel>)> {
        self.models
            .iter()
            .map(|(name, model)| (name.as_str(), model))
    }

    /// Combines `preferred` with `fallbacks` in order. Ignores a fallback that repeats a name.
    ///
    /// # Errors
    ///
    /// [`UnknownProvider`] with the first name that is not configured.
    pub fn with_fallbacks(
        &self,
        preferred: &str,
        fallbacks: &[String],
        policy: RetryPolicy,
    ) -> Result<ModelWithFallbacks, UnknownProvider> {
        let find = |name: &str| {
            self.get(name)
                .ok_or_else(|| UnknownProvider(name.to_owned()))
        };
        let first = find(preferred)?;
        let mut seen = vec![preferred];
        let mut rest = Vec::new();
        for name in fallbacks {
            if !seen.contains(&name.as_str()) {
                seen.push(name);
                rest.push(find(name)?);
            }
        }
        Ok(ModelWithFallbacks::new(first, rest, policy))
    }
}

/// A name that is not that of a configured provider.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown provider `{0}`")]
pub struct UnknownProvider(pub String);
