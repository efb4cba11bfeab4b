//! Fetches and caches the list of a server's tools.

use std::sync::Arc;

use rmcp::model::PaginatedRequestParams;
use tarsy_model::LocalFault;

use super::Connection;
use crate::call_lost::forgot_the_session;
use crate::catalog::Catalog;
use crate::error::CallError;
use crate::live::Live;
use crate::transport::{self, RECEIVED_BYTES};

/// Largest tool list, in bytes, over all its pages.
const MOST_LIST_BYTES: usize = 8 * 1024 * 1024;
/// Most tools in a list.
const MOST_TOOLS: usize = 2_000;
const MOST_PAGES: usize = 100;

impl Connection {
    /// Returns the server's tools, from the cache unless they have changed.
    pub(crate) async fn catalog(&self) -> Result<Arc<Catalog>, CallError> {
        let live = self.live().await?;
        match self.catalog_over(&live).await {
            Err(lost) if lost.is_forgotten => {
                let live = self.live().await?;
                self.catalog_over(&live).await.map_err(|lost| lost.error)
            }
            listed => listed.map_err(|lost| lost.error),
        }
    }

    async fn catalog_over(&self, live: &Live) -> Result<Arc<Catalog>, ListLost> {
        let mut cached = live.catalog.lock().await;
        let changed = live.client.take_tools_changed();
        if let Some(catalog) = cached.as_ref().filter(|_| !changed) {
            return Ok(Arc::clone(catalog));
        }
        let fetch = Box::pin(self.fetch(live));
        let fetch = tokio::time::timeout(self.settings.start_timeout, fetch);
        let fetched = match live.unless_flooded(fetch).await {
            Ok(Ok(fetched)) => fetched,
            Ok(Err(_)) => {
                live.break_off();
                Err(self.unavailable("it did not list its tools in time").into())
            }
            Err(flood) => Err(self.flooded(flood).into()),
        };
        let catalog = fetched.inspect_err(|lost| {
            live.client.set_tools_changed();
            self.note_error(&lost.error, live.stderr());
        })?;
        self.lock().tools = Some(catalog.len());
        *cached = Some(Arc::clone(&catalog));
        Ok(catalog)
    }

    async fn fetch(&self, live: &Live) -> Result<Arc<Catalog>, ListLost> {
        let mut tools = Vec::new();
        let mut bytes = 0;
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let params = PaginatedRequestParams::default().with_cursor(cursor.clone());
            let page = live.peer.list_tools(Some(params)).await.map_err(|error| {
                let is_forgotten = forgot_the_session(&error);
                if !matches!(error, rmcp::ServiceError::McpError(_)) || is_forgotten {
                    live.break_off();
                }
                let fault = transport::shortage(&error).map(LocalFault::Shortage);
                let reason = format!("it did not list its tools: {error}");
                ListLost {
                    error: self.unavailable_for(fault, &reason),
                    is_forgotten,
                }
            })?;
            if page
                .meta
                .as_ref()
                .is_some_and(|meta| meta.contains_key(RECEIVED_BYTES))
            {
                return Err(self.unavailable("its tool list is too large").into());
            }
            for tool in &page.tools {
                bytes += serde_json::to_string(tool).map_or(0, |text| text.len());
            }
            if bytes > MOST_LIST_BYTES {
                live.break_off();
                return Err(self.unavailable("its tool list is too large").into());
            }
            tools.extend(page.tools);
            let last = std::mem::replace(&mut cursor, page.next_cursor);
            if cursor.is_some() && cursor == last {
                tracing::warn!(mcp.server = %self.id(), "the server repeats a cursor; its tools so far are taken for all");
                cursor = None;
            }
            if cursor.is_none() || tools.len() > MOST_TOOLS {
                break;
            }
        }
        if cursor.is_some() || tools.len() > MOST_TOOLS {
            live.break_off();
            return Err(self.unavailable("its tool list does not end").into());
        }
        Ok(Arc::new(Catalog::new(
            tools,
            live.instructions(),
            &self.settings,
            &self.redactor,
        )))
    }
}

/// Failure to get the list of tools.
struct ListLost {
    error: CallError,
    /// Whether the server no longer knows the session. A new connection can then list the tools.
    is_forgotten: bool,
}

impl From<CallError> for ListLost {
    fn from(error: CallError) -> Self {
        Self {
            error,
            is_forgotten: false,
        }
    }
}
