import { Alert, Box, Link, Typography } from '@mui/material';
import { Faint, ToneChip, unshownClaims, type Claims } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { Link as RouterLink, useSearchParams } from 'react-router-dom';

/** Claims of the analysis; each leads to the tool calls that show it. */
export function ClaimList({ claims }: { claims: Claims }): ReactElement {
  const [params] = useSearchParams();
  const to = (id: string): { search: string } => {
    const next = new URLSearchParams(params);
    next.delete('tab');
    next.delete('find');
    next.set('event', id);
    return { search: next.toString() };
  };
  if (claims.error !== null) return <Alert severity="warning">The analysis has no claims: {claims.error}</Alert>;
  const all = claims.claims.length;
  return (
    <Box
      component="section"
      aria-labelledby="claims-title"
      data-testid="claims"
      sx={{ display: 'grid', gap: 0.5, minWidth: 0 }}
    >
      <Typography variant="h3" id="claims-title">
        Claims{' '}
        <Faint>
          {all - unshownClaims(claims)} of {all} shown by a tool
        </Faint>
      </Typography>
      <Box component="ul" sx={{ m: 0, pl: 2.5, display: 'grid', gap: 0.5 }}>
        {claims.claims.map(({ text, calls, notShown }, at) => (
          <Typography
            key={at}
            component="li"
            variant="body2"
            data-testid="claim"
            data-claim={at}
            sx={{ overflowWrap: 'anywhere' }}
          >
            {text}{' '}
            {calls.map(({ interactionId, call }) => (
              <Link key={interactionId} component={RouterLink} to={to(interactionId)} variant="caption" sx={{ mr: 1 }}>
                {call}
              </Link>
            ))}
            {notShown !== null && (
              <span title={notShown}>
                <ToneChip tone="warn" label="not shown by a tool" />
              </span>
            )}
          </Typography>
        ))}
      </Box>
    </Box>
  );
}
