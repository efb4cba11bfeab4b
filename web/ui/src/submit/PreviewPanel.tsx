import { Box, Tab, Tabs, Typography } from '@mui/material';
import type { ReactElement } from 'react';
import { PREFIX } from '../api/prefix';
import { useMe } from '../parts/access';
import { Code } from '../parts/Code';
import { curl } from './curl';
import { DryRun, type SessionLink } from './DryRun';
import { CARD } from '../parts/looks';

/** Alert of a dry run; each press runs it again. */
export interface DryRunRequest {
  alert: Record<string, unknown>;
  press: number;
}

export type Panel = 'dry' | 'curl';

interface Props {
  panel: Panel;
  onPanel: (panel: Panel) => void;
  dry: DryRunRequest | null;
  /** Path of the request. */
  path: string;
  body: Record<string, unknown>;
  sessionLink: SessionLink;
}

/** Preview of a submission: dry run and curl command. */
export function PreviewPanel({ panel, onPanel, dry, path, body, sessionLink }: Props): ReactElement {
  const { data: who } = useMe();
  return (
    <Box sx={{ ...CARD }}>
      <Tabs
        value={panel}
        onChange={(_, next: Panel) => {
          onPanel(next);
        }}
        aria-label="Preview"
      >
        <Tab value="dry" label="Dry run" id="tab-dry" aria-controls="panel-before" />
        <Tab value="curl" label="curl" id="tab-curl" aria-controls="panel-before" />
      </Tabs>
      <Box
        id="panel-before"
        role="tabpanel"
        aria-labelledby={`tab-${panel}`}
        sx={{ p: 2, borderTop: 1, borderColor: 'divider' }}
      >
        {panel === 'curl' ? (
          <Code
            text={curl(`${location.origin}${PREFIX}`, path, body, who != null && who.auth !== 'off')}
            what="curl command"
            lines={40}
          />
        ) : dry === null ? (
          <Typography variant="body2" color="text.secondary">
            Click <b>Dry run</b> to see which chain, stages and tools this alert would start, whether it is a duplicate
            of a running session, whether its runbook can be fetched, and what similar sessions took and cost. Nothing
            is submitted.
          </Typography>
        ) : (
          <DryRun {...dry} sessionLink={sessionLink} />
        )}
      </Box>
    </Box>
  );
}
