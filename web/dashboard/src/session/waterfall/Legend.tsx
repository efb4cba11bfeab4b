import { Box } from '@mui/material';
import { Faint, formatDuration, toneColor, type CriticalPath } from '@tarsy/ui';
import type { ReactElement } from 'react';

const KINDS = [
  ['stage', toneColor.good, 0.35],
  ['model call', toneColor.run, 0.8],
  ['tool call', toneColor.good, 0.95],
  ['failed', toneColor.bad, 0.9],
] as const;

/** Legend of the bars. */
export function Legend(): ReactElement {
  return (
    <>
      {KINDS.map(([name, color, opacity]) => (
        <Box key={name} sx={{ display: 'flex', gap: 0.75, alignItems: 'center' }}>
          <svg width={14} height={10} aria-hidden>
            <rect width={14} height={10} rx={2} fill={color} opacity={opacity} />
          </svg>
          <Faint>{name}</Faint>
        </Box>
      ))}
      <Box sx={{ display: 'flex', gap: 0.75, alignItems: 'center' }}>
        <svg width={14} height={10} aria-hidden>
          <rect y={7} width={14} height={2} fill="var(--mui-palette-text-primary)" />
        </svg>
        <Faint>critical path</Faint>
      </Box>
    </>
  );
}

/** Time on the critical path by kind. */
export function CriticalPathSummary({ path }: { path: CriticalPath }): ReactElement {
  const parts = [
    [path.modelUs, 'model calls'],
    [path.toolUs, 'tool calls'],
    [path.agentUs, 'between calls'],
    [path.waitingUs, 'waiting for workers'],
  ] as const;
  return (
    <Faint component="p" data-testid="spent" sx={{ m: 0, px: 2, pb: 1, fontVariantNumeric: 'tabular-nums' }}>
      Critical path:{' '}
      {parts
        .filter(([us]) => us >= 500)
        .map(([us, where]) => `${formatDuration(us / 1000)} ${where}`)
        .join(', ')}
      .
    </Faint>
  );
}
