//! Address and key of the API.

/// Address and key of the API.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Server {
    /// Address of the API
    #[arg(
        long,
        global = true,
        env = "TARSY_URL",
        default_value = "http://127.0.0.1:8000"
    )]
    pub(crate) url: String,
    /// API key, if access control is enabled; an empty value counts as none
    #[arg(long, global = true, env = "TARSY_API_KEY", hide_env_values = true)]
    key: Option<String>,
}

impl Server {
    /// Creates the settings for an API on this machine that needs no key.
    pub(crate) fn local(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            key: None,
        }
    }

    /// Returns the key to send.
    pub(crate) fn key(&self) -> Option<&str> {
        self.key.as_deref().filter(|key| !key.trim().is_empty())
    }
}
