//! Pools that are derived from the alert. With `{{ alert.data.cluster }}`, for example, the workers of the alert's
//! cluster run the stage.

use tarsy_model::Pool;

use crate::{ChainDefinition, Facts, Template, TemplateError};

/// Error in deriving a pool from the alert.
#[derive(Debug, thiserror::Error)]
pub enum PoolError {
    /// The template can't be rendered from this alert.
    #[error("can't derive the pool of stage `{stage}` from the alert: {error}")]
    Template {
        /// Name of the stage.
        stage: String,
        /// Reason, including the line.
        error: TemplateError,
    },
    /// The result is not a valid pool name.
    #[error(
        "the pool of stage `{0}` is made of the alert, and is no name of a pool: it has a-z, 0-9, `-` and `_`, at most 63 of them"
    )]
    Name(String),
}

impl ChainDefinition {
    /// Returns whether the pool of any stage is derived from the alert.
    #[must_use]
    pub fn has_pool_templates(&self) -> bool {
        self.stages.iter().any(|stage| stage.pool.is_template())
    }

    /// Returns the chain as a session of this alert stores it, with every pool resolved to a name.
    ///
    /// # Errors
    ///
    /// [`PoolError`] if the alert lacks a value that a pool needs, or if the result is not a valid name.
    pub fn with_pools_of(mut self, alert: &Facts) -> Result<Self, PoolError> {
        for stage in self
            .stages
            .iter_mut()
            .filter(|stage| stage.pool.is_template())
        {
            let failed = |error| PoolError::Template {
                stage: stage.name.clone(),
                error,
            };
            let template = Template::parse(stage.pool.as_str()).map_err(failed)?;
            let name = template.render(alert).map_err(failed)?;
            let name = name.trim();
            if !Pool::is_name(name) {
                return Err(PoolError::Name(stage.name.clone()));
            }
            stage.pool = Pool::from(name);
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::{ChainDefinition, Facts};

    /// Returns the resolved pool for an alert with this data.
    fn pool_of(pool: &str, data: serde_json::Value) -> Result<String, String> {
        let chain = json!({
            "chain_id": "c", "alert_types": ["DiskFull"],
            "stages": [{"name": "analysis", "agent": "analyst", "pool": pool}],
        });
        let chain: ChainDefinition = serde_json::from_value(chain).expect("a chain");
        let facts = Facts::from_alert("DiskFull", "high", data);
        let chain = chain
            .with_pools_of(&facts)
            .map_err(|error| error.to_string())?;
        Ok(chain.stages[0].pool.as_str().to_owned())
    }

    #[test]
    fn a_pool_is_a_name_or_is_made_of_the_alert() {
        let data = json!({"cluster": "EU-1", "labels": {"region": "us-2"}});
        for (pool, made) in [
            ("default", "default"),
            ("{{ alert.data.labels.region }}", "us-2"),
            ("{{ alert.data.cluster | lower }}", "eu-1"),
            ("cluster-{{ alert.severity }}", "cluster-high"),
            ("{{ alert.data.zone | default('central') }}", "central"),
        ] {
            assert_eq!(pool_of(pool, data.clone()).as_deref(), Ok(made), "{pool}");
        }
        for (pool, expected) in [
            (
                "{{ alert.data.zone }}",
                "can't derive the pool of stage `analysis` from the alert: it reads a value",
            ),
            ("{{ alert.data.cluster }}", "is no name of a pool"),
            ("{{ alert.data.labels }}", "is no name of a pool"),
        ] {
            let refused = pool_of(pool, data.clone()).unwrap_err();
            assert!(refused.contains(expected), "{pool}: {refused}");
            assert!(
                !refused.contains("EU-1"),
                "what an alert says is not repeated"
            );
        }
    }
}
