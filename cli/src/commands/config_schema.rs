//! `tarsy config-schema`: the JSON Schema that editors complete and check `agents.yaml` with.

use crate::printing;

pub(crate) fn run() {
    printing::out_bytes(tarsy_config::json_schema().as_bytes());
}
