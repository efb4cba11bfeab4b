import { Box, Button, CircularProgress, Typography } from '@mui/material';
import { CloudOff, Hourglass, Inbox, Lock, PlugZap, SearchX, TriangleAlert } from 'lucide-react';
import type { ReactElement, ReactNode } from 'react';
import { asApiError, type ProblemKind } from '../api/problem';

interface StateProps {
  icon: ReactElement;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
  role?: 'alert' | 'status';
}

/** Placeholder with icon, title and next step. */
export function StateView({ icon, title, children, action, role = 'status' }: StateProps): ReactElement {
  return (
    <Box
      role={role}
      sx={{
        display: 'grid',
        justifyItems: 'center',
        gap: 1,
        px: 3,
        py: 4,
        textAlign: 'center',
        color: 'text.secondary',
      }}
    >
      {icon}
      <Typography variant="h2" component="p" color="text.primary">
        {title}
      </Typography>
      <Typography variant="body2" component="div" sx={{ maxWidth: '60ch' }}>
        {children}
      </Typography>
      {action}
    </Box>
  );
}

export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}): ReactElement {
  return (
    <StateView icon={<Inbox size={28} />} title={title} action={action}>
      {children}
    </StateView>
  );
}

export function NoResults({
  onClear,
  children = 'No sessions match the current filters.',
}: {
  onClear: () => void;
  children?: ReactNode;
}): ReactElement {
  return (
    <StateView
      icon={<SearchX size={28} />}
      title="No results"
      action={
        <Button variant="outlined" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      {children}
    </StateView>
  );
}

export function Loading({ what }: { what: string }): ReactElement {
  return (
    <Box
      role="status"
      sx={{ display: 'flex', gap: 1.5, alignItems: 'center', justifyContent: 'center', py: 6, color: 'text.secondary' }}
    >
      <CircularProgress size={18} aria-hidden /> <Typography variant="body2">Loading {what}…</Typography>
    </Box>
  );
}

interface ErrorMessage {
  icon: ReactElement;
  title: string;
  advice: string;
}

const ERRORS: Record<ProblemKind, ErrorMessage> = {
  unreachable: {
    icon: <CloudOff size={28} />,
    title: 'API unreachable',
    advice: 'Check that ingest-api is running and serves this page. Retrying automatically.',
  },
  timeout: {
    icon: <Hourglass size={28} />,
    title: 'Request timed out',
    advice: 'The API took longer than 20 s. Narrow the time range or the search and retry.',
  },
  unauthorized: {
    icon: <Lock size={28} />,
    title: 'Authentication required',
    advice:
      'Enter an access key in the settings menu (top right). An admin can create one with `tarsy keys create <name> --role viewer --reason <why>`.',
  },
  forbidden: {
    icon: <Lock size={28} />,
    title: 'Permission denied',
    advice: 'Use a key with the role, or ask an admin for one.',
  },
  absent: {
    icon: <PlugZap size={28} />,
    title: 'Not available in this API version',
    advice: 'Update ingest-api to use this feature. Everything else works.',
  },
  not_found: {
    icon: <SearchX size={28} />,
    title: 'Not found',
    advice: 'It may have been deleted after the retention period, or the link is incomplete.',
  },
  overloaded: {
    icon: <Hourglass size={28} />,
    title: 'Service unavailable',
    advice: 'The service is overloaded or its database is down. No data is lost. Retrying automatically.',
  },
  invalid: {
    icon: <TriangleAlert size={28} />,
    title: 'Invalid request',
    advice: 'Fix the fields named above and retry.',
  },
  server: {
    icon: <TriangleAlert size={28} />,
    title: 'Internal error',
    advice:
      'Retry. If the error persists, send the code above to the operator of this service. Details are in its log.',
  },
};

/** Error state of a request, by kind. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => unknown }): ReactElement {
  const problem = asApiError(error);
  const { icon, title, advice } = ERRORS[problem.kind];
  return (
    <StateView
      role="alert"
      icon={icon}
      title={title}
      action={
        onRetry !== undefined && problem.kind !== 'absent' && problem.kind !== 'not_found' ? (
          <Button variant="outlined" onClick={onRetry}>
            Retry
          </Button>
        ) : undefined
      }
    >
      {problem.kind === 'absent' ? null : (
        <Box sx={{ mb: 0.5, '&::first-letter': { textTransform: 'uppercase' } }}>
          {problem.message} <code>({problem.code})</code>
        </Box>
      )}
      {advice}
    </StateView>
  );
}
