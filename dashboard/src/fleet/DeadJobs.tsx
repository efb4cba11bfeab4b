import { Box, Button, TableCell, TableRow, Typography } from '@mui/material';
import { CopyButton, count, deadJobs, discardJob, Empty, ExplainedButton, mono, plural, ReasonDialog, requeueJob, Time, useWhyNot, type DeadJob } from '@tarsy/ui';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { Link } from 'react-router-dom';
import { Answered, Section, SmallTable } from './Section';

type Asked = ['requeue' | 'discard', DeadJob];

function Row({ job, mayNot, onAsk }: { job: DeadJob; mayNot: string | null; onAsk: (asked: Asked) => void }): ReactElement {
  return (
    <TableRow data-testid="dead-job">
      <TableCell sx={{ whiteSpace: 'nowrap' }}><span style={{ fontFamily: mono, fontSize: '0.75rem' }}>{job.job_id.slice(-12)}</span><CopyButton text={job.job_id} what="job id" /></TableCell>
      <TableCell>{job.queue}</TableCell>
      <TableCell>{job.kind}{job.session_id != null && <Link to={`/sessions/${job.session_id}`} style={{ marginLeft: 8, color: 'inherit' }}>session {job.session_id.slice(-6)}</Link>}</TableCell>
      <TableCell sx={{ maxWidth: 480, overflowWrap: 'anywhere' }}><b>{job.reason}</b> {job.error}</TableCell>
      <TableCell>{count(job.attempts)} of {count(job.max_attempts)}{job.crashes > 0 ? `, ${plural(job.crashes, 'crash', 'crashes')}` : ''}</TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}><Time us={job.died_at_us} /></TableCell>
      <TableCell align="right"><Box sx={{ display: 'flex', gap: 1, justifyContent: 'flex-end' }}>
        <ExplainedButton why={mayNot} variant="outlined" onClick={() => { onAsk(['requeue', job]); }}>Requeue</ExplainedButton>
        <ExplainedButton why={mayNot} variant="outlined" color="error" onClick={() => { onAsk(['discard', job]); }}>Discard</ExplainedButton>
      </Box></TableCell>
    </TableRow>
  );
}

/** Jobs that nobody tries again by itself: exhausted, cancelled or not to be read. */
export function DeadJobs({ every, onChanged }: { every: number; onChanged: () => void }): ReactElement {
  const [asked, setAsked] = useState<Asked | null>(null);
  const mayNot = useWhyNot('operator');
  const list = useInfiniteQuery({
    queryKey: ['dead'], queryFn: async ({ pageParam, signal }) => deadJobs(pageParam, signal), refetchInterval: every,
    initialPageParam: null as string | null, getNextPageParam: (last) => last.next ?? null,
  });
  const verb = asked?.[0] === 'requeue' ? 'Requeue' : 'Discard';
  return (
    <Section title="Dead jobs" id="dead" note="they wait for a person">
      <Answered list={list} what="the dead jobs">
        {({ pages }) => (pages[0]?.dead_jobs.length === 0 ? <Empty title="No dead job">That is how it should be.</Empty> : (
          <SmallTable label="Dead jobs" head={['Job', 'Queue', 'Kind', 'Why', 'Attempts', 'Died', '']}>
            {pages.flatMap((page) => page.dead_jobs).map((job) => <Row key={job.job_id} job={job} mayNot={mayNot} onAsk={setAsked} />)}
          </SmallTable>
        ))}
      </Answered>
      {list.hasNextPage && <Box sx={{ p: 1, textAlign: 'center' }}><Button onClick={() => { void list.fetchNextPage(); }}>Show older</Button></Box>}
      {asked !== null && (
        <ReasonDialog
          title={`${verb} this job?`} verb={verb} danger={verb === 'Discard'} onClose={() => { setAsked(null); }}
          onConfirm={async (reason) => { await (asked[0] === 'requeue' ? requeueJob : discardJob)(asked[1].job_id, reason); onChanged(); }}
        >
          <Typography variant="body2">{asked[0] === 'requeue' ? 'It is tried anew with all its attempts. What its rows show already is not done twice.' : 'It is taken away for good. A session that it belonged to stays as it is.'}</Typography>
        </ReasonDialog>
      )}
    </Section>
  );
}
