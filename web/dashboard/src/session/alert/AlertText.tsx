import { Alert, Box, Typography } from '@mui/material';
import {
  asText,
  Faint,
  formatBytes,
  Code,
  ErrorState,
  Loading,
  Toggle,
  webhookRequest,
  Time,
  useDeniedReason,
  type SessionDetail,
  type WebhookRequest,
} from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';

const VIEWS = [
  ['pretty', 'Pretty'],
  ['raw', 'Raw'],
  ['request', 'Request'],
] as const;
type View = (typeof VIEWS)[number][0];

function Kept({ request }: { request: WebhookRequest }): ReactElement {
  return (
    <Box data-testid="raw-request" sx={{ display: 'grid', gap: 1 }}>
      <Faint>
        Received <Time us={request.received_at_us} />, {formatBytes(request.size)} of{' '}
        {request.content_type || 'no content type'}; unmasked.
      </Faint>
      <Code text={asText(request.headers)} what="request headers" />
      <Code text={request.body} what="request body" lines={60} />
    </Box>
  );
}

/** Webhook request of the session, fetched on demand. */
function Request({ session }: { session: SessionDetail }): ReactElement {
  const mayNot = useDeniedReason('operator');
  const asked = useQuery({
    queryKey: ['request', session.session_id],
    queryFn: async ({ signal }) => webhookRequest(session.session_id, signal),
    enabled: mayNot === null,
    staleTime: 600_000,
  });
  if (mayNot !== null) return <Alert severity="info">The raw request may contain sensitive data. {mayNot}</Alert>;
  if (asked.isPending) return <Loading what="the request" />;
  if (asked.error !== null) return <ErrorState error={asked.error} onRetry={asked.refetch} />;
  if (asked.data !== null) return <Kept request={asked.data} />;
  return (
    <Alert severity="info" data-testid="no-request">
      {session.source === 'api'
        ? 'Received through POST /alerts. The request body is the alert itself, see Raw.'
        : 'No request stored. A request with several alerts is stored with its first session.'}
    </Alert>
  );
}

/** The alert as formatted JSON, raw JSON or webhook request. */
export function AlertText({ session }: { session: SessionDetail }): ReactElement {
  const [view, setView] = useState<View>('pretty');
  return (
    <Box>
      <Box
        sx={{
          display: 'flex',
          gap: 1.5,
          alignItems: 'center',
          justifyContent: 'space-between',
          flexWrap: 'wrap',
          mb: 0.75,
        }}
      >
        <Typography variant="h3" component="h3">
          Alert
        </Typography>
        <Toggle
          label="Alert format"
          value={view}
          options={VIEWS}
          onChange={setView}
          button={{ py: 0.25, color: 'text.primary' }}
        />
      </Box>
      {view === 'request' ? (
        <Request session={session} />
      ) : (
        <Code
          text={view === 'raw' ? JSON.stringify(session.alert_data) : JSON.stringify(session.alert_data, null, 2)}
          what="alert as JSON"
          lines={60}
        />
      )}
    </Box>
  );
}
