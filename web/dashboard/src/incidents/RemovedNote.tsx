import { Typography } from '@mui/material';
import { ExplainedButton, updateTriage, useDeniedReason } from '@tarsy/ui';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';

/** Note on the page of a session that a person removed from its incident. */
export default function RemovedNote({
  sessionId,
  by,
}: {
  sessionId: string;
  by: string | null | undefined;
}): ReactElement {
  const queries = useQueryClient();
  const mayNot = useDeniedReason('operator');
  return (
    <Typography variant="body2" component="div" data-testid="incident-removed">
      {by ?? 'A person'} took this session out of its incident.{' '}
      <ExplainedButton
        variant="text"
        why={mayNot}
        onClick={() => {
          void updateTriage(sessionId, { incident_member: true }).then(async () => queries.invalidateQueries());
        }}
      >
        Put back
      </ExplainedButton>
    </Typography>
  );
}
