import { Box } from '@mui/material';
import { Faint, plainError, StatusChip, type AuditEntry, type StageDetail } from '@tarsy/ui';
import type { ReactElement, ReactNode } from 'react';
import { replayOf, replaySummary } from '../replays';
import { attemptMetrics, type Pair } from './attempts';

function Line({
  name,
  a,
  b,
  change = '',
}: {
  name: string;
  a: ReactNode;
  b: ReactNode;
  change?: string;
}): ReactElement {
  return (
    <tr data-figure={name}>
      <th scope="row">{name}</th>
      <td>{a}</td>
      <td>{b}</td>
      <td className="change">{change}</td>
    </tr>
  );
}

/** Table of two runs' metrics and their change. */
export function MetricsTable({
  pair: { a, b },
  names,
  replays,
}: {
  pair: Pair;
  names: [string, string];
  replays: readonly AuditEntry[];
}): ReactElement {
  const asked = (stage: StageDetail): string => {
    const replay = replayOf(stage, replays);
    return replay === undefined ? (stage.attempt === 1 ? 'First attempt' : '–') : replaySummary(replay, stage);
  };
  return (
    <Box
      component="table"
      aria-label="Metrics"
      data-testid="figures"
      sx={{
        width: '100%',
        borderCollapse: 'collapse',
        fontSize: '0.8125rem',
        fontVariantNumeric: 'tabular-nums',
        '& th, & td': {
          textAlign: 'left',
          verticalAlign: 'top',
          py: 0.5,
          pr: 2,
          borderBottom: 1,
          borderColor: 'divider',
          overflowWrap: 'anywhere',
        },
        '& th': { fontWeight: 400, color: 'text.secondary', whiteSpace: 'nowrap', width: { sm: 110 } },
        '& thead th': { fontWeight: 600, color: 'text.primary' },
        '& td': { width: '42%', minWidth: 96 },
        '& .change': {
          display: { xs: 'none', sm: 'table-cell' },
          width: 'auto',
          minWidth: 0,
          pr: 0,
          whiteSpace: 'nowrap',
          textAlign: 'right',
          fontWeight: 550,
        },
      }}
    >
      <thead>
        <tr>
          <th scope="col">
            <Faint>run</Faint>
          </th>
          <th scope="col">{names[0]}</th>
          <th scope="col">{names[1]}</th>
          <th scope="col" className="change">
            change
          </th>
        </tr>
      </thead>
      <tbody>
        <Line
          name="status"
          a={<StatusChip status={a.status} />}
          b={<StatusChip status={b.status} />}
          change={a.status === b.status ? '' : 'differs'}
        />
        <Line name="trigger" a={asked(a)} b={asked(b)} />
        {attemptMetrics(a, b).map((figure) => (
          <Line key={figure.name} {...figure} />
        ))}
        {[a, b].some((stage) => stage.error_message != null) && (
          <Line name="error" a={plainError(a.error_message ?? '–')} b={plainError(b.error_message ?? '–')} />
        )}
      </tbody>
    </Box>
  );
}
