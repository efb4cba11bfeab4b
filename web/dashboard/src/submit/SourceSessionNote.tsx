import { Alert, Link } from '@mui/material';
import { statusTone, Time, type SessionDetail } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';

/** Note about the session that an alert was copied from. */
export function SourceSessionNote({ session }: { session: SessionDetail }): ReactElement {
  const runs = session.completed_at_us == null;
  return (
    <Alert severity="info" data-testid="taken-from">
      Copied from{' '}
      <Link component={RouterLink} to={`/sessions/${session.session_id}`}>
        session {session.session_id.slice(-6)}
      </Link>{' '}
      ({statusTone(session.status, session.outcome).label}, <Time us={session.started_at_us} />
      ).
      {runs &&
        ' It is still running. Until it ends, an identical alert is counted as its duplicate. Use Dry run to check.'}
      {session.runbook_url == null && ' Its alert has no runbook. Alerts sent from here need one.'}
    </Alert>
  );
}
