import { Box, Button } from '@mui/material';
import { isApproval, openWaits, type SessionDetail } from '@tarsy/ui';
import type { ReactElement } from 'react';

/** Scrolls to a part of the page, and focuses its first field. */
function go(selector: string): void {
  const part = document.querySelector(selector);
  part?.scrollIntoView({ block: 'start' });
  part?.querySelector<HTMLElement>('textarea:not([aria-hidden])')?.focus({ preventScroll: true });
}

/** Bar below the header on a phone, for its main tasks: read the verdict, decide, ask. It never covers content. */
export function PhoneBar({ session }: { session: SessionDetail }): ReactElement | null {
  const jobs = [
    { does: 'Verdict', at: '#verdict', can: true },
    { does: 'Decide', at: '[data-testid=approval]', can: openWaits(session).some(isApproval) },
    { does: 'Ask', at: '#questions', can: session.conversation_id == null && session.completed_at_us != null },
  ].filter(({ can }) => can);
  if (jobs.length < 2) return null;
  return (
    <Box component="nav" aria-label="Jobs on this page" data-testid="phone-bar" sx={{ display: 'flex', gap: 1 }}>
      {jobs.map(({ does, at }) => (
        <Button
          key={does}
          variant={does === 'Decide' ? 'contained' : 'outlined'}
          sx={{ flex: 1, minHeight: 36 }}
          onClick={() => {
            go(at);
          }}
        >
          {does}
        </Button>
      ))}
    </Box>
  );
}
