import { Box, TableCell, TableRow, Typography } from '@mui/material';
import { CopyButton, count, discardJob, Empty, ExplainedButton, mono, ReasonDialog, relative, requeueJob, useNow, type DeadJob } from '@tarsy/ui';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { Answered, Section, SmallTable } from './Section';

const idOf = (job: DeadJob): string => job.id ?? job.job_id ?? '';
const diedUs = (job: DeadJob): number | null => job.died_at_us ?? (job.died_at == null ? null : Date.parse(job.died_at) * 1000);

/** Jobs that nobody tries again by itself: exhausted, cancelled or not to be read. */
export function DeadJobs({ list, onChanged }: { list: UseQueryResult<DeadJob[]>; onChanged: () => void }): ReactElement {
  const [asked, setAsked] = useState<['requeue' | 'discard', DeadJob] | null>(null);
  const now = useNow(10_000);
  return (
    <Section title="Dead jobs" id="dead" note="they wait for a person">
      <Answered list={list} what="the dead jobs">
        {(jobs) => (jobs.length === 0 ? <Empty title="No dead job">That is how it should be.</Empty> : (
          <SmallTable label="Dead jobs" head={['Job', 'Queue', 'Kind', 'Why', 'Attempts', 'Died', '']}>
            {jobs.map((job) => {
              const at = diedUs(job);
              return (
                <TableRow key={idOf(job)}>
                  <TableCell sx={{ whiteSpace: 'nowrap' }}><span style={{ fontFamily: mono, fontSize: '0.75rem' }}>{idOf(job).slice(-12)}</span><CopyButton text={idOf(job)} what="job id" /></TableCell>
                  <TableCell>{job.queue}</TableCell><TableCell>{job.kind}</TableCell>
                  <TableCell sx={{ maxWidth: 480, overflowWrap: 'anywhere' }}><b>{job.reason}</b> {job.error}</TableCell>
                  <TableCell>{count(job.attempts)}{job.crashes !== undefined && job.crashes > 0 ? `, ${String(job.crashes)} crashes` : ''}</TableCell>
                  <TableCell sx={{ whiteSpace: 'nowrap' }}>{at === null ? '–' : relative(at, now)}</TableCell>
                  <TableCell align="right"><Box sx={{ display: 'flex', gap: 1, justifyContent: 'flex-end' }}>
                    <ExplainedButton why={null} variant="outlined" onClick={() => { setAsked(['requeue', job]); }}>Requeue</ExplainedButton>
                    <ExplainedButton why={null} variant="outlined" color="error" onClick={() => { setAsked(['discard', job]); }}>Discard</ExplainedButton>
                  </Box></TableCell>
                </TableRow>
              );
            })}
          </SmallTable>
        ))}
      </Answered>
      {asked !== null && (
        <ReasonDialog
          title={asked[0] === 'requeue' ? 'Requeue this job?' : 'Discard this job?'} verb={asked[0] === 'requeue' ? 'Requeue' : 'Discard'} danger={asked[0] === 'discard'} onClose={() => { setAsked(null); }}
          onConfirm={async (reason) => { await (asked[0] === 'requeue' ? requeueJob : discardJob)(idOf(asked[1]), reason); onChanged(); }}
        >
          <Typography variant="body2">{asked[0] === 'requeue' ? 'It is tried anew with all its attempts. What its rows show already is not done twice.' : 'It is taken away for good. A session that it belonged to stays as it is.'}</Typography>
        </ReasonDialog>
      )}
    </Section>
  );
}
