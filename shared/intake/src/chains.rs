//! Chains by the alert types that they handle.

use std::collections::BTreeMap;
use std::fmt::Display;

use serde_json::value::RawValue;
use tarsy_chain::{ChainDefinition, Facts, Hold};
use tarsy_config::{ChainUpstreams, Config, StagePlans};
use tarsy_model::Suppression;

use crate::{Error, FieldError};

/// Chain, as copied into its sessions.
#[derive(Clone, Debug)]
pub struct Chain {
    /// Its name.
    pub id: String,
    /// Definition as JSON, serialised once.
    pub definition: Box<RawValue>,
    /// Which alerts are held, and the definition for those.
    held: Option<(Hold, Box<RawValue>)>,
    /// Whether pools of its stages are templates that the alert fills in.
    has_pool_templates: bool,
    /// Which repeated alerts it suppresses.
    pub(crate) suppression: Option<Suppression>,
    /// Providers and MCP servers that it uses.
    pub upstreams: ChainUpstreams,
}

/// Chains by alert type. A reload replaces them.
#[derive(Clone, Debug)]
pub struct Chains {
    by_alert_type: BTreeMap<String, Chain>,
    has_provider: bool,
}

impl Chains {
    /// Creates the chains of a configuration.
    ///
    /// # Errors
    ///
    /// If a chain can't be serialised, which does not happen with configured chains.
    pub fn from_config(config: &Config) -> Result<Self, serde_json::Error> {
        let plans = config.stage_plans();
        let mut by_alert_type = BTreeMap::new();
        for alert_type in config.alert_types() {
            if let Some(definition) = config.chain_for(alert_type) {
                let chain = Chain::new(config, &plans, definition)?;
                by_alert_type.insert(alert_type.to_owned(), chain);
            }
        }
        Ok(Self {
            by_alert_type,
            has_provider: config.has_provider(),
        })
    }

    /// Returns the chain of an alert type.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownAlertType`] with the known ones.
    pub fn chain(&self, alert_type: &str) -> Result<&Chain, Error> {
        let chain = self.by_alert_type.get(alert_type);
        chain.ok_or_else(|| Error::UnknownAlertType {
            alert_type: alert_type.to_owned(),
            known: self.alert_types(),
        })
    }

    /// Returns whether the alert type has a chain.
    pub(crate) fn knows(&self, alert_type: &str) -> bool {
        self.by_alert_type.contains_key(alert_type)
    }

    /// Returns all alert types, sorted.
    #[must_use]
    pub fn alert_types(&self) -> Vec<String> {
        self.by_alert_type.keys().cloned().collect()
    }

    /// Returns the ids of all chains that have an alert type, sorted.
    #[must_use]
    pub fn chain_ids(&self) -> Vec<String> {
        let chains = self.by_alert_type.values();
        let mut ids: Vec<String> = chains.map(|chain| chain.id.clone()).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Returns whether any LLM provider is available.
    #[must_use]
    pub const fn has_provider(&self) -> bool {
        self.has_provider
    }
}

impl Chain {
    /// Creates a chain from its definition.
    ///
    /// # Errors
    ///
    /// If the chain can't be serialised, which does not happen with configured chains.
    pub fn new(
        config: &Config,
        plans: &StagePlans,
        definition: &ChainDefinition,
    ) -> Result<Self, serde_json::Error> {
        let id = &definition.chain_id;
        let serialised =
            |chain: &ChainDefinition| serde_json::value::to_raw_value(&plans.resolve(chain));
        let held = config.holds.get(id).map(|hold| {
            let definition = serialised(&definition.with_hold(hold))?;
            Ok((hold.clone(), definition))
        });
        Ok(Self {
            id: id.clone(),
            definition: serialised(definition)?,
            held: held.transpose()?,
            has_pool_templates: definition.has_pool_templates(),
            suppression: config.suppressions.get(id).copied(),
            upstreams: config.upstreams_of(definition),
        })
    }

    /// Returns the definition for an alert of this severity. `alert` is called only if the pool of
    /// a stage is a template.
    ///
    /// # Errors
    ///
    /// If the alert lacks a value that a pool template needs.
    pub(crate) fn definition_for(
        &self,
        severity: &str,
        alert: impl FnOnce() -> Facts,
    ) -> Result<Box<RawValue>, FieldError> {
        let definition = match &self.held {
            Some((hold, held)) if hold.applies(severity) => held,
            _ => &self.definition,
        };
        if !self.has_pool_templates {
            return Ok(definition.clone());
        }
        let fault = |error: &dyn Display| FieldError::new("data", error.to_string());
        let chain: ChainDefinition =
            serde_json::from_str(definition.get()).map_err(|error| fault(&error))?;
        let chain = chain
            .with_pools_of(&alert())
            .map_err(|error| fault(&error))?;
        serde_json::value::to_raw_value(&chain).map_err(|error| fault(&error))
    }
}
