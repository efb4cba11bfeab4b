import { Box, Link, Typography } from '@mui/material';
import {
  BARE_LIST,
  CARD,
  ExplainedButton,
  Faint,
  formatCost,
  showIncident,
  StatusChip,
  Time,
  updateTriage,
  useAction,
  useDeniedReason,
  usePollMs,
  VerdictChip,
  type IncidentDetail,
  type SessionLine,
} from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode } from 'react';
import { Link as RouterLink } from 'react-router-dom';

/** Explains in a sentence why sessions belong together. */
export function reasonText({ reasons, incident }: Pick<IncidentDetail, 'reasons' | 'incident'>): string {
  const of = (kind: string): string[] => reasons.filter((reason) => reason.kind === kind).map(({ shared }) => shared);
  const minutes = Math.max(1, Math.round((incident.last_started_at_us - incident.first_started_at_us) / 60_000_000));
  const [targets, causes] = [of('target'), of('cause')];
  return [
    targets.length === 0 ? null : `Their alerts are about ${targets.join(', ')}.`,
    causes.length === 0 ? null : `Their checked root causes name ${causes.join('; ')}.`,
    `They started within ${String(minutes)} min.`,
  ]
    .filter((part) => part !== null)
    .join(' ');
}

function Member({ session, children }: { session: SessionLine; children?: ReactNode }): ReactElement {
  return (
    <Box
      component="li"
      data-testid="incident-member"
      data-id={session.session_id}
      sx={{ display: 'flex', columnGap: 1, rowGap: 0.25, alignItems: 'center', flexWrap: 'wrap', minWidth: 0 }}
    >
      <Faint sx={{ minWidth: 84 }}>
        <Time us={session.started_at_us} />
      </Faint>
      <Box sx={{ minWidth: 124 }}>
        <StatusChip {...session} />
      </Box>
      <Link
        component={RouterLink}
        to={`/sessions/${session.session_id}`}
        variant="body2"
        sx={{ overflowWrap: 'anywhere', py: 0.5 }}
      >
        {session.alert_name ?? session.alert_type}
      </Link>
      <Faint sx={{ overflowWrap: 'anywhere' }}>{session.target}</Faint>
      {children}
    </Box>
  );
}

const list = { ...BARE_LIST, display: 'grid', gap: 0.5 } as const;

/** Card of an incident: its summary, why its sessions belong together, and the sessions. */
export default function IncidentCard({ id, current }: { id: string; current?: string }): ReactElement | null {
  const queries = useQueryClient();
  const every = usePollMs(10_000);
  const mayNot = useDeniedReason('operator');
  const { error, run } = useAction();
  const { data } = useQuery({
    queryKey: ['incident', id],
    queryFn: async ({ signal }) => showIncident(id, signal),
    refetchInterval: every,
  });
  if (data === undefined) return null;
  const { incident } = data;
  const regroup = (session: string, isMember: boolean) => (): void => {
    void run(async () => {
      await updateTriage(session, { incident_member: isMember });
      await queries.invalidateQueries();
    });
  };
  const action = (session: string, isMember: boolean): ReactElement => (
    <ExplainedButton variant="text" sx={{ py: 0, minHeight: 24 }} why={mayNot} onClick={regroup(session, isMember)}>
      {isMember ? 'Put back' : 'Take out'}
    </ExplainedButton>
  );
  const figures = [
    `${String(incident.members)} alerts`,
    incident.running === 0 ? null : `${String(incident.running)} unfinished`,
    incident.failed === 0 ? null : `${String(incident.failed)} failed`,
    incident.cost_usd == null ? null : formatCost(incident.cost_usd, 'complete'),
    incident.open_approvals === 0 ? null : `${String(incident.open_approvals)} to decide`,
  ].filter((figure) => figure !== null);
  return (
    <Box
      component="section"
      aria-label="Incident"
      data-testid="incident"
      sx={{ ...CARD, px: 2, py: 1.5, m: current === undefined ? 1.5 : 0, minWidth: 0, display: 'grid', gap: 0.5 }}
    >
      <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
        <b>Incident</b> · {figures.join(' · ')}
      </Typography>
      <Typography
        variant="body2"
        color="text.secondary"
        data-testid="incident-reason"
        sx={{ overflowWrap: 'anywhere' }}
      >
        {reasonText(data)}
      </Typography>
      {incident.answer_id != null && (
        <Typography
          variant="body2"
          component="div"
          sx={{ display: 'flex', gap: 1, alignItems: 'center', overflowWrap: 'anywhere' }}
        >
          <VerdictChip verdict={incident.verdict} />
          <Link component={RouterLink} to={`/sessions/${incident.answer_id}`}>
            {incident.headline ?? 'Answer'}
          </Link>
        </Typography>
      )}
      {error !== null && (
        <Typography variant="caption" color="error" role="alert">
          {error}
        </Typography>
      )}
      <details open={current !== undefined && data.members.length <= 8}>
        <summary>
          <Typography component="span" variant="caption">
            Sessions of the incident
          </Typography>
        </summary>
        <Box
          component="ul"
          aria-label="Sessions of the incident"
          sx={{ ...list, mt: 0.5, maxHeight: 240, overflow: 'auto' }}
          tabIndex={0}
        >
          {data.members.map((session) => (
            <Member key={session.session_id} session={session}>
              {session.session_id === current && (
                <Typography variant="caption" sx={{ fontWeight: 600 }}>
                  this session
                </Typography>
              )}
              {action(session.session_id, false)}
            </Member>
          ))}
        </Box>
        {(data.next != null || current !== undefined) && (
          <Link
            component={RouterLink}
            to={`/sessions?incident=${id}`}
            variant="caption"
            sx={{ display: 'inline-block', py: 0.5 }}
          >
            Show all in History
          </Link>
        )}
      </details>
      {data.removed.length > 0 && (
        <Box component="ul" aria-label="Taken out" sx={list}>
          {data.removed.map(({ session, removed_by: by }) => (
            <Member key={session.session_id} session={session}>
              <Faint>taken out by {by}</Faint>
              {action(session.session_id, true)}
            </Member>
          ))}
        </Box>
      )}
    </Box>
  );
}
