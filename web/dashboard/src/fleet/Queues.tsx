import { Chip, TableCell, TableRow, Typography } from '@mui/material';
import {
  Faint,
  formatCount,
  formatDuration,
  ExplainedButton,
  pauseQueue,
  ReasonDialog,
  formatRelative,
  resumeQueue,
  Time,
  toneColor,
  useNow,
  useDeniedReason,
  useSubject,
  type Health,
  type Queue,
  type Queues as All,
} from '@tarsy/ui';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactElement } from 'react';
import { rate, waited } from './pools';
import { QueryResult, Section, SmallTable } from './Section';

type Fallback = NonNullable<Health['services']>['queue'];

function Row({ queue, why, onAsk }: { queue: Queue; why: string | null; onAsk: (queue: Queue) => void }): ReactElement {
  const { paused } = queue;
  const nobody = queue.workers === 0;
  const open = queue.ready + queue.scheduled + queue.running;
  const recovered = queue.stages?.recovered_last_day ?? 0;
  const now = useNow(10_000);
  const by = [queue.paused_by, queue.reason].filter((word) => word != null && word !== '').join(': ');
  return (
    <TableRow>
      <TableCell sx={{ fontWeight: 600 }}>{queue.queue}</TableCell>
      <TableCell>
        {paused ? (
          <Chip color="warning" variant="outlined" label="paused" />
        ) : nobody && open === 0 ? (
          <Chip variant="outlined" label="idle" title="No jobs, and no worker takes this queue" />
        ) : nobody ? (
          <Chip color={queue.ready > 0 ? 'error' : 'default'} variant="outlined" label="no workers" />
        ) : (
          <Chip color="success" variant="outlined" label="active" />
        )}
        {paused && (
          <Faint sx={{ ml: 1 }}>
            {by}
            {queue.paused_at_us == null ? '' : `, ${formatRelative(queue.paused_at_us, now)}`}
          </Faint>
        )}
      </TableCell>
      <TableCell align="right">{formatCount(queue.ready)}</TableCell>
      <TableCell align="right">
        {queue.oldest_ready_seconds == null ? '–' : formatDuration(queue.oldest_ready_seconds * 1000)}
      </TableCell>
      <TableCell align="right">{formatCount(queue.scheduled)}</TableCell>
      <TableCell align="right">
        {formatCount(queue.running)} / {formatCount(queue.slots)}
      </TableCell>
      <TableCell align="right">{formatCount(queue.workers)}</TableCell>
      <TableCell align="right" sx={{ whiteSpace: 'nowrap' }} title="Queue wait of recently started stages: p50 / p95">
        {waited(queue)}
      </TableCell>
      <TableCell align="right">{rate(queue)}</TableCell>
      <TableCell
        align="right"
        title="Stages resumed after losing a worker, last 24 hours"
        sx={{ color: recovered > 0 ? toneColor.warn : undefined }}
      >
        {queue.stages == null ? '–' : formatCount(recovered)}
      </TableCell>
      <TableCell align="right">
        <ExplainedButton
          why={why}
          variant="outlined"
          onClick={() => {
            onAsk(queue);
          }}
        >
          {paused ? 'Resume' : 'Pause'}
        </ExplainedButton>
      </TableCell>
    </TableRow>
  );
}

/** Table with one row per queue. A pause survives restarts. */
export function Queues({
  list,
  onChanged,
  fallback,
}: {
  list: UseQueryResult<All>;
  onChanged: () => void;
  fallback: Fallback;
}): ReactElement {
  const [asked, ask, close] = useSubject<Queue>();
  const why = useDeniedReason('operator');
  return (
    <Section
      title="Queues"
      note={
        list.data === undefined && fallback !== undefined ? (
          `total: ${formatCount(fallback.ready)} waiting, ${formatCount(fallback.running)} running`
        ) : list.data === undefined ? (
          'one per worker pool'
        ) : (
          <>
            one per worker pool; waits and throughput since <Time us={list.data.since_us} />, recoveries of the last day
          </>
        )
      }
    >
      <QueryResult list={list} what="the queues">
        {({ queues }) => (
          <SmallTable
            label="Queues"
            head={[
              'Queue',
              'Status',
              ['Waiting', 'right'],
              ['Oldest', 'right'],
              ['Scheduled', 'right'],
              ['Running / slots', 'right'],
              ['Workers', 'right'],
              ['Wait p50 / p95', 'right'],
              ['Completed / min', 'right'],
              ['Recovered', 'right'],
              '',
            ]}
          >
            {queues.map((queue) => (
              <Row key={queue.queue} queue={queue} why={why} onAsk={ask} />
            ))}
          </SmallTable>
        )}
      </QueryResult>
      {asked !== null && (
        <ReasonDialog
          title={`${asked.paused ? 'Resume' : 'Pause'} queue ${asked.queue}?`}
          verb={asked.paused ? 'Resume' : 'Pause'}
          onClose={close}
          onConfirm={async (reason) => {
            await (asked.paused ? resumeQueue : pauseQueue)(asked.queue, reason);
            onChanged();
          }}
        >
          <Typography variant="body2">
            {asked.paused
              ? 'Workers start claiming its jobs again.'
              : 'Workers stop claiming its jobs. Running jobs continue, and alerts are still accepted and queued. The pause survives restarts.'}
          </Typography>
        </ReasonDialog>
      )}
    </Section>
  );
}
