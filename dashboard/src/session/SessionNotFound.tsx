import { Box, Button } from '@mui/material';
import { ApiError, ErrorState, Loading, sessionIdOfAlert } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link, Navigate } from 'react-router-dom';
import { listAddress } from '../sessions/listPosition';

/** No session to show. What senders have is the alert's id: if it is one, its session is shown. */
export function SessionNotFound({ id, error, onRetry }: { id: string; error: unknown; onRetry: () => void }): ReactElement {
  const isUnknown = error instanceof ApiError && (error.kind === 'not_found' || error.kind === 'invalid');
  const { data: session, isLoading } = useQuery({ queryKey: ['session-of', id], queryFn: async ({ signal }) => sessionIdOfAlert(id, signal), enabled: isUnknown });
  if (isLoading) return <Loading what="the session" />;
  if (session != null) return <Navigate replace to={`/sessions/${session}`} />;
  return (
    <Box sx={{ display: 'grid', justifyItems: 'center' }}>
      <ErrorState error={error} onRetry={onRetry} />
      <Button component={Link} to={listAddress()}>All sessions</Button>
    </Box>
  );
}
