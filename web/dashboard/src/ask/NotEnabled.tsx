import { Box, Typography } from '@mui/material';
import { CARD, Code, COLUMN } from '@tarsy/ui';
import type { ReactElement } from 'react';

const ENABLE = `export TARSY_KNOWLEDGE_URL=postgres://…
tarsy knowledge enable
tarsy knowledge load hosts.csv --collection hosts --mapping hosts.mapping.yaml`;

const CONFIG = `mcp_servers:
  facts:
    connection_params:
      command: tarsy
      args: [mcp, knowledge]
      env: {TARSY_KNOWLEDGE_URL: "\${TARSY_KNOWLEDGE_URL}"}
    default_effect: read_only
knowledge: {server: facts}`;

/** Explains how to enable the knowledge store. */
export default function NotEnabled(): ReactElement {
  return (
    <Box
      component="section"
      aria-labelledby="enable-title"
      data-testid="not-enabled"
      sx={{ ...CARD, p: 2, ...COLUMN, gap: 1.5, maxWidth: 820 }}
    >
      <Typography variant="h2" id="enable-title">
        The knowledge store is not enabled
      </Typography>
      <Typography variant="body2">
        Questions are answered from records that are loaded into Postgres: test cases, inventories, logs. An admin
        enables it in two steps.
      </Typography>
      <Typography variant="body2">1. Create the store and load records.</Typography>
      <Code text={ENABLE} what="commands" />
      <Typography variant="body2">
        2. Add the MCP server and the section <code>knowledge</code> to <code>agents.yaml</code>. It is loaded without a
        restart.
      </Typography>
      <Code text={CONFIG} what="configuration" lines={20} />
      <Typography variant="body2" color="text.secondary">
        Details: <code>docs/KNOWLEDGE.md</code>.
      </Typography>
    </Box>
  );
}
