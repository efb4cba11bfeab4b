import { Chip, TableCell, TableRow, Typography } from '@mui/material';
import { count, duration, ExplainedButton, pauseQueue, ReasonDialog, relative, resumeQueue, Time, toneColor, useNow, useWhyNot, type Health, type Queue, type Queues as All } from '@tarsy/ui';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { rate, waited } from './pools';
import { Answered, Section, SmallTable } from './Section';

type Fallback = NonNullable<Health['services']>['queue'];

function Row({ queue, why, onAsk }: { queue: Queue; why: string | null; onAsk: (queue: Queue) => void }): ReactElement {
  const { paused } = queue;
  const nobody = queue.workers === 0;
  const recovered = queue.stages?.recovered_last_day ?? 0;
  const now = useNow(10_000);
  const by = [queue.paused_by, queue.reason].filter((word) => word != null && word !== '').join(': ');
  return (
    <TableRow>
      <TableCell sx={{ fontWeight: 600 }}>{queue.queue}</TableCell>
      <TableCell>
        {paused ? <Chip color="warning" variant="outlined" label="paused" /> : nobody ? <Chip color={queue.ready > 0 ? 'error' : 'default'} variant="outlined" label="nobody works it" /> : <Chip color="success" variant="outlined" label="open" />}
        {paused && <Typography component="span" variant="caption" color="text.secondary" sx={{ ml: 1 }}>{by}{queue.paused_at_us == null ? '' : `, ${relative(queue.paused_at_us, now)}`}</Typography>}
      </TableCell>
      <TableCell align="right">{count(queue.ready)}</TableCell>
      <TableCell align="right">{queue.oldest_ready_seconds == null ? '–' : duration(queue.oldest_ready_seconds * 1000)}</TableCell>
      <TableCell align="right">{count(queue.scheduled)}</TableCell>
      <TableCell align="right">{count(queue.running)} / {count(queue.slots)}</TableCell>
      <TableCell align="right">{count(queue.workers)}</TableCell>
      <TableCell align="right" sx={{ whiteSpace: 'nowrap' }} title="How long stages that began lately had waited for a worker: half of them, 19 of 20 of them at most">{waited(queue)}</TableCell>
      <TableCell align="right">{rate(queue)}</TableCell>
      <TableCell align="right" title="Times that a stage lost its worker and went on with another, stages of the last 24 hours" sx={{ color: recovered > 0 ? toneColor.warn : undefined }}>{queue.stages == null ? '–' : count(recovered)}</TableCell>
      <TableCell align="right"><ExplainedButton why={why} variant="outlined" onClick={() => { onAsk(queue); }}>{paused ? 'Resume' : 'Pause'}</ExplainedButton></TableCell>
    </TableRow>
  );
}

/** One line per queue; a pause outlives restarts. */
export function Queues({ list, onChanged, fallback }: { list: UseQueryResult<All>; onChanged: () => void; fallback: Fallback }): ReactElement {
  const [asked, setAsked] = useState<Queue | null>(null);
  const why = useWhyNot('operator');
  return (
    <Section title="Queues" note={list.data === undefined && fallback !== undefined ? `in all: ${count(fallback.ready)} waiting, ${count(fallback.running)} running` : list.data === undefined ? 'one per pool of workers' : <>one per pool of workers; waits and stages done since <Time us={list.data.since_us} />, orphans of a day</>}>
      <Answered list={list} what="the queues">
        {({ queues }) => (
          <SmallTable label="Queues" head={['Queue', 'State', ['Waiting', 'right'], ['Oldest', 'right'], ['Scheduled', 'right'], ['Running / slots', 'right'], ['Workers', 'right'], ['Waited, median / 95 %', 'right'], ['Done / min', 'right'], ['Recovered', 'right'], '']}>
            {queues.map((queue) => <Row key={queue.queue} queue={queue} why={why} onAsk={setAsked} />)}
          </SmallTable>
        )}
      </Answered>
      {asked !== null && (
        <ReasonDialog
          title={`${asked.paused ? 'Resume' : 'Pause'} ${asked.queue}?`} verb={asked.paused ? 'Resume' : 'Pause'} onClose={() => { setAsked(null); }}
          onConfirm={async (reason) => { await (asked.paused ? resumeQueue : pauseQueue)(asked.queue, reason); onChanged(); }}
        >
          <Typography variant="body2">{asked.paused ? 'Workers claim its jobs again at once.' : 'Workers claim no more of its jobs; what runs goes on. Alerts are still accepted and wait. It stays paused over restarts until somebody resumes it.'}</Typography>
        </ReasonDialog>
      )}
    </Section>
  );
}
