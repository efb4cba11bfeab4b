import { Alert, Box, Link, Typography } from '@mui/material';
import { SubmitForm, useTitle } from '@tarsy/ui';
import { useState, type ComponentProps, type ReactElement } from 'react';
import { Link as RouterLink, useNavigate } from 'react-router-dom';

type Sessions = Parameters<ComponentProps<typeof SubmitForm>['onSubmitted']>[0];

const sessionLink = (id: string, text: string): ReactElement => <Link component={RouterLink} to={`/sessions/${id}`}>{text}</Link>;

/** Submit an alert by hand, or try what a monitoring system would send. */
export default function SubmitPage(): ReactElement {
  useTitle('Submit an alert');
  const navigate = useNavigate();
  const [accepted, setAccepted] = useState<Sessions | null>(null);
  const done = (sessions: Sessions): void => {
    const only = sessions.length === 1 ? sessions[0] : undefined;
    if (only !== undefined && !only.duplicate) void navigate(`/sessions/${only.sessionId}`);
    else setAccepted(sessions);
  };
  return (
    <Box sx={{ px: { xs: 1.5, md: 3 }, py: 2, display: 'grid', gap: 2, width: '100%', maxWidth: 1560, mx: 'auto' }}>
      <Typography variant="h1">Submit an alert</Typography>
      {accepted !== null && (
        <Alert severity={accepted.length === 0 ? 'warning' : 'success'} onClose={() => { setAccepted(null); }}>
          {accepted.length === 0 ? 'The payload was taken, but no alert of it became a session (it may be a resolution or a test).' : accepted.map((one) => (
            <Box key={one.sessionId}>
              {one.duplicate ? 'The same alert has a session already: ' : 'Accepted: '}
              <Link component={RouterLink} to={`/sessions/${one.sessionId}`}>{one.sessionId}</Link>
            </Box>
          ))}
        </Alert>
      )}
      <SubmitForm onSubmitted={done} sessionLink={sessionLink} />
    </Box>
  );
}
