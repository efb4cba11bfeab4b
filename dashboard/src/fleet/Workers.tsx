import { Box, Chip, TableCell, TableRow, Typography } from '@mui/material';
import { CopyButton, count, drainWorker, duration, Empty, ExplainedButton, mono, ReasonDialog, toneColor, useNow, type Worker } from '@tarsy/ui';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { Link } from 'react-router-dom';
import { heartbeatAge, heartbeatTone, idOf } from './heartbeat';
import { Answered, Section, SmallTable } from './Section';

function Doing({ worker }: { worker: Worker }): ReactElement {
  const { running, slots } = worker;
  const jobs = Array.isArray(running) ? running : [];
  const number = Array.isArray(running) ? running.length : running;
  return (
    <>
      {count(number)}{slots === undefined ? '' : ` / ${count(slots)}`}
      {jobs.slice(0, 4).map((job, at) => (job.session_id === undefined ? null : <Link key={at} to={`/sessions/${job.session_id}`} style={{ marginLeft: 8, color: 'inherit' }}>{job.session_id.slice(-6)}</Link>))}
    </>
  );
}

function Row({ worker, now, onDrain }: { worker: Worker; now: number; onDrain: (worker: Worker) => void }): ReactElement {
  const age = heartbeatAge(worker, now);
  const id = idOf(worker);
  return (
    <TableRow>
      <TableCell><Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}><Typography component="span" sx={{ fontFamily: mono, fontSize: '0.75rem' }}>{id.slice(-12)}</Typography><CopyButton text={id} what="worker id" /></Box></TableCell>
      <TableCell>{worker.role ?? '–'}</TableCell>
      <TableCell>{worker.host ?? '–'}{worker.pid === undefined ? '' : `:${String(worker.pid)}`}</TableCell>
      <TableCell>{(worker.pools ?? worker.queues ?? []).join(', ')}</TableCell>
      <TableCell align="right"><Doing worker={worker} /></TableCell>
      <TableCell><span style={{ color: toneColor[heartbeatTone(age)] }}>{age === null ? '–' : `${duration(age * 1000)} ago`}</span>{worker.draining === true && <Chip sx={{ ml: 1 }} variant="outlined" label="draining" />}</TableCell>
      <TableCell>{worker.version ?? '–'}</TableCell>
      <TableCell align="right"><ExplainedButton variant="outlined" why={worker.draining === true ? 'It is draining already.' : null} onClick={() => { onDrain(worker); }}>Drain</ExplainedButton></TableCell>
    </TableRow>
  );
}

/** One line per process. */
export function Workers({ list, onChanged }: { list: UseQueryResult<Worker[]>; onChanged: () => void }): ReactElement {
  const [asked, setAsked] = useState<Worker | null>(null);
  const now = useNow(2000);
  return (
    <Section title="Workers" note="a heartbeat that is late turns amber, then red">
      <Answered list={list} what="the workers">
        {(workers) => (workers.length === 0
          ? <Empty title="Nobody works">Start a worker: <code>tarsy up</code>, or <code>chain-worker</code> and <code>stage-worker</code>. Accepted alerts wait in the meantime; none is lost.</Empty>
          : (
            <SmallTable label="Workers" head={['Worker', 'Role', 'Host', 'Pools', 'Running / slots', 'Heartbeat', 'Version', '']}>
              {workers.map((worker) => <Row key={idOf(worker)} worker={worker} now={now} onDrain={setAsked} />)}
            </SmallTable>
          ))}
      </Answered>
      {asked !== null && (
        <ReasonDialog title={`Drain worker ${idOf(asked).slice(-12)}?`} verb="Drain" onClose={() => { setAsked(null); }} onConfirm={async (reason) => { await drainWorker(idOf(asked), reason); onChanged(); }}>
          <Typography variant="body2">It claims nothing more, finishes what it runs within its grace period, gives the rest back and ends. No attempt is counted.</Typography>
        </ReasonDialog>
      )}
    </Section>
  );
}
