import { Alert, Box, Typography } from '@mui/material';
import { Answer, Code, Coded, Faint, runbookProblem, type SessionDetail } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { AlertText } from './alert/AlertText';
import { AlertHistory } from './alert/AlertHistory';

/** Alert, its history, and the runbook. */
export default function AlertTab({ session }: { session: SessionDetail }): ReactElement {
  return (
    <Box
      sx={{
        p: 2,
        display: 'grid',
        gap: 2.5,
        gridTemplateColumns: { xs: '1fr', lg: 'minmax(0, 1fr) minmax(0, 1fr)' },
        alignItems: 'start',
      }}
    >
      <Box sx={{ minWidth: 0 }}>
        <AlertText session={session} />
        <Typography variant="h3" component="h3" sx={{ mt: 2, mb: 0.75 }}>
          Chain definition at submission
        </Typography>
        <Code text={JSON.stringify(session.chain_definition, null, 2)} what="chain definition" lines={30} />
      </Box>
      <Box sx={{ minWidth: 0 }}>
        <Box sx={{ mb: 2 }}>
          <AlertHistory session={session} />
        </Box>
        <Typography variant="h3" component="h3" sx={{ mb: 0.75 }}>
          Runbook
        </Typography>
        {session.runbook_url != null && <Faint sx={{ overflowWrap: 'anywhere' }}>{session.runbook_url}</Faint>}
        {session.runbook_error != null && (
          <Alert severity="warning" sx={{ my: 1 }}>
            <Coded text={runbookProblem(session.runbook_url, session.runbook_error)} />
          </Alert>
        )}
        {session.runbook_content != null ? (
          <Answer text={session.runbook_content} />
        ) : (
          session.runbook_error == null && (
            <Typography variant="body2" color="text.secondary">
              {session.runbook_url == null
                ? 'No runbook in the alert.'
                : 'Not fetched yet. The runbook is fetched once, before the first stage.'}
            </Typography>
          )
        )}
      </Box>
    </Box>
  );
}
