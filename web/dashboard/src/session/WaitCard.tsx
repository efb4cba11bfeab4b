import { Alert, Typography } from '@mui/material';
import {
  Coded,
  formatUntil,
  isApproval,
  Time,
  useNow,
  useSubject,
  waitCause,
  waitRemedy,
  waitTone,
  type SessionWait,
  type Wait,
} from '@tarsy/ui';
import { type ReactElement } from 'react';
import { ApprovalCard, DecisionDialog, type Asked } from '../approvals/ApprovalCard';
import { Remaining } from '../approvals/Remaining';

const SEVERITY = { bad: 'error', warn: 'warning', rest: 'info', run: 'info', good: 'info' } as const;

/** Countdown to the next try of a call, in seconds. */
function NextTry({ us }: { us: number }): ReactElement {
  return <span data-testid="next-try">next try {formatUntil(us, useNow(1000))}</span>;
}

/** Explains why a session does not continue: cause, since when, next try, and who can act. */
export function WaitCard({ wait }: { wait: SessionWait }): ReactElement {
  return (
    <Alert severity={SEVERITY[waitTone(wait).tone]} data-testid="wait" sx={{ overflowWrap: 'anywhere' }}>
      <Typography variant="body2" sx={{ fontWeight: 600 }}>
        {wait.stage_name == null ? '' : `${wait.stage_name}: `}
        {waitCause(wait)}
      </Typography>
      <Typography variant="body2">
        Began <Time us={wait.since_us} />
        {wait.next_try_us != null && (
          <>
            , <NextTry us={wait.next_try_us} />
          </>
        )}
        . {waitRemedy(wait)}
      </Typography>
    </Alert>
  );
}

/** Card of a stage that waits for a signal or a time. */
function StageWaitCard({ wait }: { wait: Wait }): ReactElement {
  return (
    <Alert severity="info" data-testid="stage-wait" sx={{ overflowWrap: 'anywhere' }}>
      <Typography variant="body2" sx={{ fontWeight: 600 }}>
        <Coded text={wait.question} />
      </Typography>
      <Typography variant="body2">
        Began <Time us={wait.asked_at_us} />,{' '}
        {wait.sort === 'timer' ? (
          <>
            until <Time us={wait.expires_at_us} always="absolute" />
          </>
        ) : (
          <Remaining us={wait.expires_at_us} />
        )}
        .
      </Typography>
    </Alert>
  );
}

/** Waits of a session's stages: approvals to decide, signals, times. */
export function StageWaits({
  waits,
  author,
}: {
  waits: readonly Wait[];
  author: string | null | undefined;
}): ReactElement {
  const [asked, ask, close] = useSubject<Asked>();
  return (
    <>
      {waits.map((wait) =>
        isApproval(wait) ? (
          <ApprovalCard key={wait.wait_id} wait={{ ...wait, author }} inSession onAsk={ask} />
        ) : (
          <StageWaitCard key={wait.wait_id} wait={wait} />
        ),
      )}
      {asked !== null && <DecisionDialog asked={asked} onClose={close} />}
    </>
  );
}
