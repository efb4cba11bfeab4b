import { Box, Typography } from '@mui/material';
import {
  BARE_LIST,
  Code,
  EmptyState,
  formatBytes,
  pluralize,
  stageHandoffs,
  statusTone,
  type Handoff,
  type SessionDetail,
} from '@tarsy/ui';
import { useState, type ReactElement } from 'react';

function size({ text, status, bytes, dataPoints }: Handoff): string {
  if (text === null) return statusTone(status).label;
  return [
    status === 'failed' ? 'error' : formatBytes(bytes),
    ...(dataPoints > 0 ? [pluralize(dataPoints, 'data point')] : []),
  ].join(', ');
}

/** Data that each stage hands to the stages that need it, and to the answer. */
export default function StageHandoff({ session }: { session: SessionDetail }): ReactElement {
  const edges = stageHandoffs(session);
  const [picked, setPicked] = useState(() =>
    Math.max(
      0,
      edges.findLastIndex((edge) => edge.text !== null && edge.to !== 'answer'),
    ),
  );
  const edge = edges[picked];
  return (
    <Box
      sx={{
        p: 2,
        display: 'grid',
        gap: 2,
        gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'minmax(220px, 320px) minmax(0, 1fr)' },
        alignItems: 'start',
      }}
      data-testid="handover"
    >
      <Box
        component="ul"
        aria-label="Handoffs"
        sx={{ ...BARE_LIST, border: 1, borderColor: 'divider', borderRadius: 1 }}
      >
        {edges.map((one, at) => (
          <Box
            key={`${one.from} ${one.to}`}
            component="li"
            sx={{ borderBottom: 1, borderColor: 'divider', '&:last-of-type': { borderBottom: 0 } }}
          >
            <Box
              component="button"
              type="button"
              data-testid="handoff"
              aria-pressed={at === picked}
              disabled={one.text === null}
              onClick={() => {
                setPicked(at);
              }}
              sx={{
                all: 'unset',
                boxSizing: 'border-box',
                display: 'block',
                width: '100%',
                px: 1.5,
                py: 0.75,
                cursor: one.text === null ? 'default' : 'pointer',
                bgcolor: at === picked ? 'action.selected' : undefined,
                '&:hover': { bgcolor: 'action.hover' },
                '&:focus-visible': { outline: '2px solid', outlineColor: 'primary.main' },
              }}
            >
              <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
                {one.from} → {one.to}
              </Typography>
              <Typography variant="caption" color={one.status === 'failed' ? 'error' : 'text.secondary'}>
                {size(one)}
              </Typography>
            </Box>
          </Box>
        ))}
      </Box>
      {edge?.text == null ? (
        <EmptyState title="Nothing was handed on" />
      ) : (
        <Box sx={{ minWidth: 0 }}>
          <Typography variant="h3" component="h3" sx={{ mb: 1 }}>
            {edge.from} → {edge.to}
          </Typography>
          <Code
            key={picked}
            text={edge.from === 'alert' ? JSON.stringify(session.alert_data, null, 2) : edge.text}
            what="stage output"
            lines={40}
          />
        </Box>
      )}
    </Box>
  );
}
