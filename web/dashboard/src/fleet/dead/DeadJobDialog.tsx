import { Button, Dialog, DialogActions, DialogContent, DialogTitle, Typography } from '@mui/material';
import { Code, CopyButton, Fact, Facts, formatCount, deadJob, mono, pluralize, Time, type DeadJob } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { QueryResult } from '../Section';
import { short } from './actions';

function Whole({ job }: { job: DeadJob }): ReactElement {
  return (
    <>
      <Facts>
        <Fact name="kind">
          {job.kind} in {job.queue}
        </Fact>
        <Fact name="subject">
          <span style={{ fontFamily: mono, fontSize: '0.75rem' }}>{job.subject}</span>
          <CopyButton text={job.subject} what="subject" />
        </Fact>
        <Fact name="error">
          <b>{job.reason}</b> {job.error}
        </Fact>
        <Fact name="attempts">
          {formatCount(job.attempts)} of {formatCount(job.max_attempts)}
          {job.crashes > 0 && `, ${pluralize(job.crashes, 'crash', 'crashes')}`}
          {job.snoozes > 0 && `, snoozed ${pluralize(job.snoozes, 'time')}`}
        </Fact>
        <Fact name="created">
          <Time us={job.created_at_us} always="absolute" />
        </Fact>
        <Fact name="died">
          <Time us={job.died_at_us} always="absolute" />
        </Fact>
      </Facts>
      <Typography variant="h3" component="h3">
        Payload
      </Typography>
      <Code text={JSON.stringify(job.payload ?? null, null, 2)} what="payload as JSON" lines={40} />
    </>
  );
}

/** Details of a dead job, payload included. */
export function DeadJobDialog({ id, onClose }: { id: string; onClose: () => void }): ReactElement {
  const job = useQuery({ queryKey: ['dead', 'job', id], queryFn: async ({ signal }) => deadJob(id, signal) });
  return (
    <Dialog open onClose={onClose} maxWidth="md" aria-labelledby="dead-job-title">
      <DialogTitle id="dead-job-title">Dead job {short(id)}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 1.5 }}>
        <QueryResult list={job} what="the job">
          {(whole) => <Whole job={whole} />}
        </QueryResult>
      </DialogContent>
      <DialogActions>
        <Button autoFocus onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  );
}
