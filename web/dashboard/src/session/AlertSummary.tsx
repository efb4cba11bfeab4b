import { Box, Chip, Link, Tooltip, Typography } from '@mui/material';
import { asText, CARD, CopyButton, Fact, Facts, mono, Time, type ReadSession } from '@tarsy/ui';
import { lazy, Suspense, type ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';

// Not part of the first screen, so it is loaded once the record has been read.
const NotificationsCard = lazy(async () => import('./NotificationsCard'));

/** Alert fields that are shown first. */
const WHERE = [
  'summary',
  'message',
  'description',
  'cluster',
  'environment',
  'namespace',
  'pod',
  'host',
  'instance',
  'service',
];

/** Up to eight identifying fields from the alert, its labels and annotations. */
function highlights(alert: Record<string, unknown>): [string, string][] {
  const inner = (key: string): Record<string, unknown> => {
    const value = alert[key];
    return value !== null && typeof value === 'object' && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {};
  };
  const all: Record<string, unknown> = { ...inner('annotations'), ...inner('labels'), ...inner('data'), ...alert };
  return WHERE.flatMap((key): [string, string][] => {
    const value = all[key];
    return typeof value === 'string' && value !== '' ? [[key, value]] : [];
  }).slice(0, 8);
}

/** Summary of the alert; sticky while a long analysis is read. */
export function AlertSummary({ session }: { session: ReadSession }): ReactElement {
  const labels = session.alert_data.labels;
  const chips = labels !== null && typeof labels === 'object' ? Object.entries(labels as Record<string, unknown>) : [];
  const trace = session.traceparent?.split('-')[1];
  return (
    <Box
      component="section"
      aria-labelledby="alert-title"
      sx={{ ...CARD, p: 2, display: 'grid', gap: 1, alignSelf: 'start', position: { lg: 'sticky' }, top: 62 }}
    >
      <Typography variant="h2" id="alert-title">
        Original alert
      </Typography>
      <Facts>
        {highlights(session.alert_data).map(([name, value]) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
        <Fact name="fired at">
          <Time us={session.alert_timestamp_us} always="absolute" />
        </Fact>
        <Fact name="source">
          {session.source}
          {session.author == null ? '' : `, ${session.author}`}
        </Fact>
        {session.duplicate_count > 0 && <Fact name="duplicates">{session.duplicate_count}</Fact>}
        {session.resolved_at_us != null && (
          <Fact name="resolved">
            <Time us={session.resolved_at_us} />
          </Fact>
        )}
        {session.runbook_url != null && (
          <Fact name="runbook">
            {/^https?:/.test(session.runbook_url) ? (
              <Link href={session.runbook_url} target="_blank" rel="noopener noreferrer">
                {session.runbook_url}
              </Link>
            ) : (
              session.runbook_url
            )}
            {session.runbook_error == null ? '' : ' (not fetched)'}
          </Fact>
        )}
        {session.whole && session.completed_at_us != null && (
          <Suspense fallback={null}>
            <NotificationsCard session={session}>{(states) => <Fact name="notified">{states}</Fact>}</NotificationsCard>
          </Suspense>
        )}
        <Fact name="alert ID">
          <span title={session.alert_id} style={{ fontFamily: mono, fontSize: '0.75rem' }}>
            {session.alert_id.slice(-6)}
          </span>
          <CopyButton text={session.alert_id} what="alert ID" />
        </Fact>
        {trace !== undefined && (
          <Fact name="trace ID">
            <span style={{ fontFamily: mono, fontSize: '0.75rem' }}>{trace}</span>
            <CopyButton text={trace} what="trace ID" />
          </Fact>
        )}
      </Facts>
      {chips.length > 0 && (
        <Box sx={{ display: 'flex', gap: 0.5, flexWrap: 'wrap' }}>
          {chips.map(([name, value]) => (
            <Tooltip key={name} title={name}>
              <Chip variant="outlined" label={`${name}=${asText(value)}`} sx={{ maxWidth: '100%' }} />
            </Tooltip>
          ))}
        </Box>
      )}
      <Link
        component={RouterLink}
        to="?tab=alert"
        variant="caption"
        underline="hover"
        sx={{ justifySelf: 'start', display: 'inline-flex', alignItems: 'center', minHeight: 24 }}
      >
        Full alert and runbook
      </Link>
    </Box>
  );
}
