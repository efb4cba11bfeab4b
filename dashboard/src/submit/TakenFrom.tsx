import { Alert, Link } from '@mui/material';
import { statusTone, Time, type SessionDetail } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';

/** Which session an alert was taken from, and what that means for sending it. */
export function TakenFrom({ session }: { session: SessionDetail }): ReactElement {
  const runs = session.completed_at_us == null;
  return (
    <Alert severity="info" data-testid="taken-from">
      Taken from <Link component={RouterLink} to={`/sessions/${session.session_id}`}>session {session.session_id.slice(-6)}</Link> ({statusTone(session.status, session.outcome).label}, <Time us={session.started_at_us} />).
      {runs && ' It still runs: until it ends, the same alert is only counted on it and gets no session of its own. Dry run tells whether this one would be.'}
      {session.runbook_url == null && ' Its alert named no runbook; one that is sent from here must.'}
    </Alert>
  );
}
