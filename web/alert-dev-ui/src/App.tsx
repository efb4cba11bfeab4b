import { Alert, Box, Button, Link, Typography } from '@mui/material';
import {
  AccessGate,
  APP,
  COLUMN,
  LiveChip,
  LiveProvider,
  Loading,
  Look,
  PREFIX,
  Settings,
  type SubmitForm as Form,
} from '@tarsy/ui';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState, type ComponentProps, type ReactElement } from 'react';

const SubmitForm = lazy(async () => import('./Form'));
const SessionProgress = lazy(async () => import('./SessionProgress'));

type Sessions = Parameters<ComponentProps<typeof Form>['onSubmitted']>[0];

const queries = new QueryClient({ defaultOptions: { queries: { retry: 1, networkMode: 'always' } } });

/** Session id in the URL, kept on reload. */
const followed = (): string | null => new URLSearchParams(location.search).get('session');

function follow(id: string | null): void {
  const address = new URL(location.href);
  if (id === null) address.searchParams.delete('session');
  else address.searchParams.set('session', id);
  history.pushState(null, '', address);
}

function Page(): ReactElement {
  const [session, setSession] = useState(followed);
  const [preset, setPreset] = useState<string | null>(null);
  const [note, setNote] = useState<string | null>(null);
  useEffect(() => {
    const moved = (): void => {
      setSession(followed());
    };
    window.addEventListener('popstate', moved);
    return () => {
      window.removeEventListener('popstate', moved);
    };
  }, []);
  const show = (id: string | null): void => {
    follow(id);
    setSession(id);
  };
  const done = (sessions: Sessions): void => {
    const first = sessions[0];
    setNote(
      first === undefined
        ? 'Payload accepted. It contained no alert that starts a session.'
        : first.duplicate
          ? 'Duplicate of a running session, shown here.'
          : sessions.length > 1
            ? `${String(sessions.length)} sessions started. This is the first.`
            : null,
    );
    if (first !== undefined) show(first.sessionId);
  };
  return (
    <Box component="main" sx={{ maxWidth: 1400, mx: 'auto', px: { xs: 1.5, md: 3 }, py: 2, ...COLUMN, gap: 2 }}>
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center' }}>
        <img src={`${APP}icon.svg`} width={24} height={24} alt="" />
        <Typography variant="h1" sx={{ flex: 1 }}>
          Tarsy: Submit an alert
        </Typography>
        <LiveChip />
        <Settings />
      </Box>
      <Typography variant="body2" color="text.secondary">
        For development and demos. Operators use the{' '}
        <a href={`${PREFIX}/dashboard/`} style={{ color: 'inherit' }}>
          dashboard
        </a>
        .
      </Typography>
      {note !== null && (
        <Alert
          severity="info"
          onClose={() => {
            setNote(null);
          }}
        >
          {note}
        </Alert>
      )}
      <AccessGate>
        <Suspense fallback={<Loading what="the page" />}>
          {session === null ? (
            <SubmitForm
              preset={preset}
              onPreset={setPreset}
              onSubmitted={done}
              sessionLink={(id, text) => (
                <Link
                  component="button"
                  onClick={() => {
                    show(id);
                  }}
                >
                  {text}
                </Link>
              )}
            />
          ) : (
            <>
              <Box>
                <Button
                  variant="outlined"
                  onClick={() => {
                    setNote(null);
                    show(null);
                  }}
                  data-testid="another"
                >
                  Submit another
                </Button>
              </Box>
              <SessionProgress key={session} id={session} />
            </>
          )}
        </Suspense>
      </AccessGate>
    </Box>
  );
}

/** Page for submitting alerts. */
export function App(): ReactElement {
  return (
    <Look>
      <QueryClientProvider client={queries}>
        <LiveProvider>
          <Page />
        </LiveProvider>
      </QueryClientProvider>
    </Look>
  );
}
