import { Alert, Typography } from '@mui/material';
import { Time, waitCause, waitRemedy, waitTone, type SessionWait } from '@tarsy/ui';
import type { ReactElement } from 'react';

const SEVERITY = { bad: 'error', warn: 'warning', rest: 'info', run: 'info', good: 'info' } as const;

/** Why a session doesn't go on: cause, since when, next try, who could act. */
export function WaitCard({ wait }: { wait: SessionWait }): ReactElement {
  return (
    <Alert severity={SEVERITY[waitTone(wait).tone]} data-testid="wait" sx={{ overflowWrap: 'anywhere' }}>
      <Typography variant="body2" sx={{ fontWeight: 600 }}>{wait.stage_name == null ? '' : `${wait.stage_name}: `}{waitCause(wait)}</Typography>
      <Typography variant="body2">
        Since <Time us={wait.since_us} />{wait.next_try_us != null && <>, next try <Time us={wait.next_try_us} /></>}. {waitRemedy(wait)}
      </Typography>
    </Alert>
  );
}
