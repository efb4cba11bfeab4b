import { Chip, TableCell, TableRow, Typography } from '@mui/material';
import { count, duration, ExplainedButton, pauseQueue, ReasonDialog, resumeQueue, type Health, type Queue } from '@tarsy/ui';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { Answered, Section, SmallTable } from './Section';

type Fallback = NonNullable<Health['services']>['queue'];

/** Whether claiming is off; the API tells it as a flag or as the time it began. */
export const isPaused = (queue: Queue): boolean => queue.paused === true || queue.paused_at != null;

function Row({ queue, onAsk }: { queue: Queue; onAsk: (queue: Queue) => void }): ReactElement {
  const paused = isPaused(queue);
  const why = queue.paused_reason ?? queue.reason;
  const nobody = queue.workers === 0;
  return (
    <TableRow>
      <TableCell sx={{ fontWeight: 600 }}>{queue.queue}</TableCell>
      <TableCell>
        {paused ? <Chip color="warning" variant="outlined" label="paused" /> : nobody ? <Chip color="error" variant="outlined" label="nobody works it" /> : <Chip color="success" variant="outlined" label="open" />}
        {paused && <Typography component="span" variant="caption" color="text.secondary" sx={{ ml: 1 }}>{[queue.paused_by, why].filter((word) => word != null && word !== '').join(': ')}</Typography>}
      </TableCell>
      <TableCell align="right">{count(queue.ready)}</TableCell>
      <TableCell align="right">{queue.oldest_ready_seconds == null ? '–' : duration(queue.oldest_ready_seconds * 1000)}</TableCell>
      <TableCell align="right">{count(queue.scheduled)}</TableCell>
      <TableCell align="right">{count(queue.running)}{queue.slots == null ? '' : ` / ${count(queue.slots)}`}</TableCell>
      <TableCell align="right">{count(queue.workers)}</TableCell>
      <TableCell align="right"><ExplainedButton why={null} variant="outlined" onClick={() => { onAsk(queue); }}>{paused ? 'Resume' : 'Pause'}</ExplainedButton></TableCell>
    </TableRow>
  );
}

/** One line per queue; a pause outlives restarts. */
export function Queues({ list, onChanged, fallback }: { list: UseQueryResult<Queue[]>; onChanged: () => void; fallback: Fallback }): ReactElement {
  const [asked, setAsked] = useState<Queue | null>(null);
  return (
    <Section title="Queues" note={list.data === undefined && fallback !== undefined ? `in all: ${count(fallback.ready)} waiting, ${count(fallback.running)} running` : 'one per pool of workers'}>
      <Answered list={list} what="the queues">
        {(queues) => (
          <SmallTable label="Queues" head={['Queue', 'State', 'Waiting', 'Oldest', 'Scheduled', 'Running / slots', 'Workers', '']}>
            {queues.map((queue) => <Row key={queue.queue} queue={queue} onAsk={setAsked} />)}
          </SmallTable>
        )}
      </Answered>
      {asked !== null && (
        <ReasonDialog
          title={`${isPaused(asked) ? 'Resume' : 'Pause'} ${asked.queue}?`} verb={isPaused(asked) ? 'Resume' : 'Pause'} onClose={() => { setAsked(null); }}
          onConfirm={async (reason) => { await (isPaused(asked) ? resumeQueue : pauseQueue)(asked.queue, reason); onChanged(); }}
        >
          <Typography variant="body2">{isPaused(asked) ? 'Workers claim its jobs again at once.' : 'Workers claim no more of its jobs; what runs goes on. Alerts are still accepted and wait. It stays paused over restarts until somebody resumes it.'}</Typography>
        </ReasonDialog>
      )}
    </Section>
  );
}
