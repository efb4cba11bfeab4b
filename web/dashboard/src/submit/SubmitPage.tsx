import { Alert, Box, Button, Link, Typography } from '@mui/material';
import { sessionPreset, ErrorState, Loading, rawSessionDetail, SubmitForm, useTitle } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ComponentProps, type ReactElement } from 'react';
import { Link as RouterLink, useNavigate } from 'react-router-dom';
import { Page } from '../app/Page';
import { useAddress } from '../app/useAddress';
import { SourceSessionNote } from './SourceSessionNote';

type Sessions = Parameters<ComponentProps<typeof SubmitForm>['onSubmitted']>[0];

const sessionLink = (id: string, text: string): ReactElement => (
  <Link component={RouterLink} to={`/sessions/${id}`}>
    {text}
  </Link>
);

/** Page to submit an alert, a copy of a session's alert, or a vendor payload. */
export default function SubmitPage(): ReactElement {
  useTitle('Submit an alert');
  const navigate = useNavigate();
  const [params, change] = useAddress();
  const from = params.get('session');
  const asked = useQuery({
    queryKey: ['alert-of', from],
    queryFn: async ({ signal }) => rawSessionDetail(from ?? '', signal),
    enabled: from !== null,
  });
  const own = useMemo(
    () =>
      asked.data === undefined
        ? undefined
        : { preset: sessionPreset(asked.data), note: <SourceSessionNote session={asked.data} /> },
    [asked.data],
  );
  const begin = (preset: string | null): void => {
    change({ preset });
  };
  const [accepted, setAccepted] = useState<Sessions | null>(null);
  const done = (sessions: Sessions): void => {
    const only = sessions.length === 1 ? sessions[0] : undefined;
    if (only !== undefined && !only.duplicate) void navigate(`/sessions/${only.sessionId}`);
    else setAccepted(sessions);
  };
  return (
    <Page widest={1560}>
      <Typography variant="h1">Submit an alert</Typography>
      {accepted !== null && (
        <Alert
          severity={accepted.length === 0 ? 'warning' : 'success'}
          onClose={() => {
            setAccepted(null);
          }}
        >
          {accepted.length === 0
            ? 'Payload accepted. It contained no alert that starts a session (it may be a resolve or a test).'
            : accepted.map((one) => (
                <Box key={one.sessionId}>
                  {one.duplicate ? 'Duplicate of session ' : 'Started session '}
                  <Link component={RouterLink} to={`/sessions/${one.sessionId}`}>
                    {one.sessionId}
                  </Link>
                </Box>
              ))}
        </Alert>
      )}
      {from !== null && own === undefined ? (
        asked.error === null ? (
          <Loading what="the session’s alert" />
        ) : (
          <Box sx={{ display: 'grid', justifyItems: 'center' }}>
            <ErrorState error={asked.error} onRetry={asked.refetch} />
            <Button component={RouterLink} to="/submit">
              Start with an empty form
            </Button>
          </Box>
        )
      ) : (
        <SubmitForm
          onSubmitted={done}
          sessionLink={sessionLink}
          preset={params.get('preset')}
          onPreset={begin}
          own={own}
        />
      )}
    </Page>
  );
}
