import { Box, Button, CircularProgress, Typography } from '@mui/material';
import { CloudOff, Hourglass, Inbox, Lock, PlugZap, SearchX, TriangleAlert } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { asApiError, type ApiError } from '../api/problem';

interface StateProps { icon: ReactElement; title: string; children?: ReactNode; action?: ReactNode; role?: 'alert' | 'status' }

/** Instead of content: what is the matter, and what to do. */
export function StateView({ icon, title, children, action, role = 'status' }: StateProps): ReactElement {
  return (
    <Box role={role} sx={{ display: 'grid', justifyItems: 'center', gap: 1, px: 3, py: 4, textAlign: 'center', color: 'text.secondary' }}>
      {icon}
      <Typography variant="h2" component="p" color="text.primary">{title}</Typography>
      <Typography variant="body2" component="div" sx={{ maxWidth: '60ch' }}>{children}</Typography>
      {action}
    </Box>
  );
}

export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }): ReactElement {
  return <StateView icon={<Inbox size={28} />} title={title} action={action}>{children}</StateView>;
}

export function NoMatch({ onClear, children = 'There are sessions, but none that these filters let through.' }: { onClear: () => void; children?: ReactNode }): ReactElement {
  return (
    <StateView icon={<SearchX size={28} />} title="Nothing matches" action={<Button variant="outlined" onClick={onClear}>Clear all filters</Button>}>
      {children}
    </StateView>
  );
}

export function Loading({ what }: { what: string }): ReactElement {
  return (
    <Box role="status" sx={{ display: 'flex', gap: 1.5, alignItems: 'center', justifyContent: 'center', py: 6, color: 'text.secondary' }}>
      <CircularProgress size={18} aria-hidden /> <Typography variant="body2">Reading {what}…</Typography>
    </Box>
  );
}

interface Told { icon: ReactElement; title: string; advice: string }

function told(error: ApiError): Told {
  switch (error.kind) {
    case 'unreachable': return { icon: <CloudOff size={28} />, title: 'The API can’t be reached', advice: 'Check that ingest-api runs and that this page is served from its address. The page tries again by itself.' };
    case 'timeout': return { icon: <Hourglass size={28} />, title: 'No answer in time', advice: 'The API took longer than 20 s. Narrow the time range or the search, then try again.' };
    case 'unauthorized': return { icon: <Lock size={28} />, title: 'An access key is needed', advice: 'This API has access control on. Enter a key in the settings menu at the top right; `tarsy keys create <name> --role viewer --reason <why>` makes one.' };
    case 'forbidden': return { icon: <Lock size={28} />, title: 'This key may not do that', advice: 'Your key’s role does not cover it. Enter a key of a higher role in the settings menu, or ask an operator.' };
    case 'absent': return { icon: <PlugZap size={28} />, title: 'Not available in this API version', advice: 'The API that answers here doesn’t offer this yet. Everything else works; update ingest-api to have it.' };
    case 'not_found': return { icon: <SearchX size={28} />, title: 'It isn’t there', advice: 'It may be older than the retention time, or the link is incomplete.' };
    case 'overloaded': return { icon: <Hourglass size={28} />, title: 'The service is busy or its database is away', advice: 'Nothing is lost. The page tries again by itself.' };
    case 'invalid': return { icon: <TriangleAlert size={28} />, title: 'The request was refused', advice: 'Change what is named and try again.' };
    case 'server': return { icon: <TriangleAlert size={28} />, title: 'Something went wrong', advice: 'Its log says what. Try again; if it stays, tell whoever runs the service the code above.' };
  }
}

/** A failed request, told by kind. */
export function Failed({ error, onRetry }: { error: unknown; onRetry?: () => void }): ReactElement {
  const problem = asApiError(error);
  const { icon, title, advice } = told(problem);
  return (
    <StateView
      role="alert" icon={icon} title={title}
      action={onRetry !== undefined && problem.kind !== 'absent' ? <Button variant="outlined" onClick={onRetry}>Try again</Button> : undefined}
    >
      {problem.kind === 'absent' ? null : <Box sx={{ mb: 0.5 }}>{problem.message} <code>({problem.code})</code></Box>}
      {advice}
    </StateView>
  );
}
