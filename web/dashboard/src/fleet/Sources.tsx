import { TableCell, TableRow, Typography } from '@mui/material';
import {
  EmptyState,
  formatCount,
  pluralize,
  Time,
  ToneChip,
  useUpstreams,
  type PoolSources,
  type Source,
} from '@tarsy/ui';
import type { ReactElement } from 'react';
import { QueryResult, Section, SmallTable } from './Section';
import { sourceStatus } from './upstreams';

const COLUMNS = ['Source', 'Status', ['Workers', 'right'], ['Calls', 'right'], 'Last success', 'Last error'] as const;

function Row({ source, workers }: { source: Source; workers: number }): ReactElement {
  const status = sourceStatus(source, workers);
  return (
    <TableRow data-testid="source">
      <TableCell sx={{ fontWeight: 600, whiteSpace: 'nowrap' }}>{source.server}</TableCell>
      <TableCell title={status.why}>
        <ToneChip tone={status.tone} label={status.label} />
      </TableCell>
      <TableCell align="right" sx={{ whiteSpace: 'nowrap' }}>
        {formatCount(source.workers)} of {formatCount(workers)}
      </TableCell>
      <TableCell align="right">{formatCount(source.calls)}</TableCell>
      <TableCell>{source.last_success_us == null ? '–' : <Time us={source.last_success_us} />}</TableCell>
      <TableCell sx={{ maxWidth: 360, overflowWrap: 'anywhere' }}>
        <Typography variant="caption" color={source.last_failure_us == null ? 'text.secondary' : undefined}>
          {source.last_failure_us == null ? (
            '–'
          ) : (
            <>
              <Time us={source.last_failure_us} />: {source.last_error ?? 'failed'}
            </>
          )}
        </Typography>
      </TableCell>
    </TableRow>
  );
}

function Pool({ one }: { one: PoolSources }): ReactElement {
  const workers = one.workers === 0 ? 'no stage worker' : pluralize(one.workers, 'stage worker');
  return (
    <Section title={`Pool ${one.pool}`} note={`${workers}, calls in the last hour`}>
      {one.sources.length === 0 ? (
        <EmptyState title="No MCP servers configured" />
      ) : (
        <SmallTable label={`Sources of pool ${one.pool}`} head={COLUMNS}>
          {one.sources.map((source) => (
            <Row key={source.server} source={source} workers={one.workers} />
          ))}
        </SmallTable>
      )}
    </Section>
  );
}

/** MCP servers of each pool of stage workers. With one pool per cluster, these are the sources of each cluster. */
export function Sources(): ReactElement {
  const list = useUpstreams();
  return (
    <QueryResult list={list} what="the sources">
      {({ pools }) =>
        pools.length === 0 ? (
          <EmptyState title="No stage worker is running" />
        ) : (
          <>
            {pools.map((one) => (
              <Pool key={one.pool} one={one} />
            ))}
          </>
        )
      }
    </QueryResult>
  );
}
