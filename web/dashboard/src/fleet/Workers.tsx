import { Box, Chip, TableCell, TableRow, Tooltip, Typography } from '@mui/material';
import {
  CopyButton,
  formatCount,
  drainWorker,
  formatDuration,
  EmptyState,
  ExplainedButton,
  mono,
  ReasonDialog,
  Time,
  toneColor,
  useDeniedReason,
  useSubject,
  type Worker,
} from '@tarsy/ui';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactElement } from 'react';
import { Link } from 'react-router-dom';
import { heartbeatTone } from './heartbeat';
import { QueryResult, Section, SmallTable, TimeCell } from './Section';

function Doing({ worker }: { worker: Worker }): ReactElement {
  const { running, slots } = worker;
  return (
    <>
      {formatCount(running.length)} / {formatCount(slots)}
      {running.slice(0, 4).map((job) =>
        job.session_id == null ? null : (
          <Tooltip
            key={job.job_id}
            describeChild
            title={`${job.stage_name ?? job.kind}; lease expires in ${formatDuration(job.expires_in_seconds * 1000)}`}
          >
            <Link to={`/sessions/${job.session_id}`} style={{ marginLeft: 8, color: 'inherit' }}>
              {job.session_id.slice(-6)}
            </Link>
          </Tooltip>
        ),
      )}
    </>
  );
}

/** Why a worker can't be asked to drain. */
function whyKept(worker: Worker, mayNot: string | null): string | null {
  if (!worker.alive) return 'Worker is gone. Its jobs were taken over.';
  return worker.draining || worker.drain_requested ? 'Already draining.' : mayNot;
}

/** State that keeps a worker from claiming. If it is in trouble, the trouble is shown below. */
function State({ state, trouble }: { state: string; trouble: string }): ReactElement {
  const chip = (
    <Chip
      sx={{ ml: 1 }}
      variant="outlined"
      label={state}
      color={state === 'not answering' || state === 'in trouble' ? 'error' : 'default'}
    />
  );
  return state !== 'in trouble' ? (
    chip
  ) : (
    <>
      {chip}
      <Typography
        variant="caption"
        color="error"
        sx={{ display: 'block', whiteSpace: 'normal', overflowWrap: 'anywhere', minWidth: '12em' }}
      >
        {trouble}
      </Typography>
    </>
  );
}

function Row({
  worker,
  mayNot,
  onDrain,
}: {
  worker: Worker;
  mayNot: string | null;
  onDrain: (worker: Worker) => void;
}): ReactElement {
  const { worker_id: id, heartbeat_age_seconds: age } = worker;
  const state = !worker.alive
    ? 'gone'
    : !worker.answering
      ? 'not answering'
      : worker.trouble != null
        ? 'in trouble'
        : worker.draining
          ? 'draining'
          : worker.drain_requested
            ? 'drain requested'
            : null;
  return (
    <TableRow>
      <TableCell>
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 0.5 }}>
          <Typography component="span" sx={{ fontFamily: mono, fontSize: '0.75rem' }}>
            {id.slice(-12)}
          </Typography>
          <CopyButton text={id} what="worker ID" />
        </Box>
      </TableCell>
      <TableCell>{worker.role}</TableCell>
      <TableCell>
        {worker.host}:{worker.pid}
      </TableCell>
      <TableCell>{worker.queues.join(', ')}</TableCell>
      <TableCell align="right" sx={{ whiteSpace: 'nowrap' }}>
        <Doing worker={worker} />
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        <span style={{ color: toneColor[heartbeatTone(age)] }}>{formatDuration(age * 1000)} ago</span>
        {state !== null && <State state={state} trouble={worker.trouble ?? ''} />}
      </TableCell>
      <TimeCell us={worker.started_at_us} />
      <TableCell>{worker.version}</TableCell>
      <TableCell>
        <Configuration worker={worker} />
      </TableCell>
      <TableCell align="right">
        <ExplainedButton
          variant="outlined"
          why={whyKept(worker, mayNot)}
          onClick={() => {
            onDrain(worker);
          }}
        >
          Drain
        </ExplainedButton>
      </TableCell>
    </TableRow>
  );
}

/** Start of the configuration's hash. The tooltip has the whole hash, and since when it is in use. */
function Configuration({ worker }: { worker: Worker }): ReactElement {
  const { config_hash: hash, config_since_us: since } = worker;
  if (hash == null) return <>-</>;
  return (
    <Tooltip
      describeChild
      title={
        <>
          SHA-256 {hash}
          {since != null && (
            <>
              , in use since <Time us={since} />
            </>
          )}
        </>
      }
    >
      <Typography component="span" tabIndex={0} sx={{ fontFamily: mono, fontSize: '0.75rem' }}>
        {hash.slice(0, 8)}
      </Typography>
    </Tooltip>
  );
}

/** Note of the section. During a rollout, it counts the different configurations of the workers. */
function note(workers: Worker[]): string {
  const hashes = new Set(workers.flatMap((worker) => worker.config_hash ?? []));
  return hashes.size > 1
    ? `late heartbeats are highlighted; workers run ${formatCount(hashes.size)} different configurations`
    : 'late heartbeats are highlighted';
}

/** Table with one row per worker process. */
export function Workers({ list, onChanged }: { list: UseQueryResult<Worker[]>; onChanged: () => void }): ReactElement {
  const [asked, ask, close] = useSubject<Worker>();
  const mayNot = useDeniedReason('operator');
  return (
    <Section title="Workers" note={note(list.data ?? [])}>
      <QueryResult list={list} what="the workers">
        {(workers) =>
          workers.length === 0 ? (
            <EmptyState title="No workers running">
              Start workers with <code>tarsy up</code>, or run <code>chain-worker</code> and <code>stage-worker</code>.
              Accepted alerts stay queued; none is lost.
            </EmptyState>
          ) : (
            <SmallTable
              label="Workers"
              head={[
                'Worker',
                'Role',
                'Host',
                'Queues',
                ['Running / slots', 'right'],
                'Heartbeat',
                'Started',
                'Version',
                'Configuration',
                '',
              ]}
            >
              {workers.map((worker) => (
                <Row key={worker.worker_id} worker={worker} mayNot={mayNot} onDrain={ask} />
              ))}
            </SmallTable>
          )
        }
      </QueryResult>
      {asked !== null && (
        <ReasonDialog
          title={`Drain worker ${asked.worker_id.slice(-12)}?`}
          verb="Drain"
          onClose={close}
          onConfirm={async (reason) => {
            await drainWorker(asked.worker_id, reason);
            onChanged();
          }}
        >
          <Typography variant="body2">
            Stops claiming jobs, finishes running ones within the grace period, releases the rest and exits. No attempts
            are counted.
          </Typography>
        </ReasonDialog>
      )}
    </Section>
  );
}
