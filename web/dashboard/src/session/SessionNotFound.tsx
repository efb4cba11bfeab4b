import { Box, Button } from '@mui/material';
import { ApiError, ErrorState, Loading, sessionIdOfAlert } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link, Navigate } from 'react-router-dom';
import { HiddenTitle } from '../app/HiddenTitle';
import { listAddress } from '../sessions/listPosition';

/** Error page of an unknown session. Redirects if the id is an alert's. */
export function SessionNotFound({
  id,
  error,
  onRetry,
}: {
  id: string;
  error: unknown;
  onRetry: () => unknown;
}): ReactElement {
  const isUnknown = error instanceof ApiError && (error.kind === 'not_found' || error.kind === 'invalid');
  const { data: session, isLoading } = useQuery({
    queryKey: ['session-of', id],
    queryFn: async ({ signal }) => sessionIdOfAlert(id, signal),
    enabled: isUnknown,
  });
  if (isLoading) return <Loading what="the session" />;
  if (session != null) return <Navigate replace to={`/sessions/${session}`} />;
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center' }}>
      <HiddenTitle title="Session" />
      <ErrorState error={error} onRetry={onRetry} />
      <Button component={Link} to={listAddress()}>
        All sessions
      </Button>
    </Box>
  );
}
