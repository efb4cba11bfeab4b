//! `tarsy config-schema`: prints the JSON Schema with which editors complete and check `agents.yaml`.

use crate::printing;

pub(crate) fn run() {
    printing::out_bytes(tarsy_config::json_schema().as_bytes());
}
