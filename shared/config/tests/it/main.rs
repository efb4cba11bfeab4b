//! Configuration files and environment variables, loaded through the public interface.

mod committed_files;
mod loading;
mod presets;
mod providers;
mod resolving;
mod schema;
mod secret_files;
mod servers;
mod settings;
mod slack_apps;
mod spending;
mod stages;
mod sub_agents;
mod support;
mod suppression;
mod templates;
mod write_back;
