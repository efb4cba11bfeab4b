import { Alert, Box, Typography } from '@mui/material';
import { isShownWhole, ToneChip, type Tone, type Wait } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { Name } from './Name';
import { WholeCall } from './WholeCall';

const EFFECT: Record<string, Tone> = { read_only: 'good', read: 'good', write: 'warn', destructive: 'bad' };

/** Author of alerts whose sender gave no name. */
const UNNAMED = 'api-client';

/** Replaces a text that an older API does not send. For an open call, it explains what to do. */
function NotSent({ open }: { open: boolean }): ReactElement {
  return (
    <Alert severity="warning">
      The API is older than this page and does not send the whole call.
      {open && (
        <>
          {' '}
          Update the API to approve the call here, or decide with <code>tarsy approvals</code>.
        </>
      )}
    </Alert>
  );
}

/** Tool call that a person decides about: effect, server, who started the session, and the whole text. */
export function CallDetails({ wait }: { wait: Wait }): ReactElement | null {
  const { call, author } = wait;
  if (call == null) return null;
  const name = [call.server, call.tool].filter((part) => part !== undefined).join('.');
  return (
    <Box data-testid="call" sx={{ display: 'grid', gap: 0.75, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Typography
        variant="body2"
        component="div"
        sx={{
          display: 'flex',
          columnGap: 1.5,
          rowGap: 0.5,
          alignItems: 'center',
          flexWrap: 'wrap',
          '& > span': { overflowWrap: 'anywhere' },
        }}
      >
        {call.effect != null && (
          <ToneChip tone={EFFECT[call.effect] ?? 'warn'} label={call.effect.replaceAll('_', ' ')} />
        )}
        {call.server !== undefined && (
          <span>
            on server <Name>{call.server}</Name>
          </span>
        )}
        {author != null && author !== UNNAMED && (
          <span>
            session started by <bdi>{author}</bdi>
          </span>
        )}
      </Typography>
      {isShownWhole(wait) ? (
        <WholeCall text={call.shown ?? ''} what={`whole call of ${name}`} />
      ) : (
        <NotSent open={wait.status === 'open'} />
      )}
    </Box>
  );
}
