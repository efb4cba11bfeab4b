import { Box, Link, Typography } from '@mui/material';
import {
  BARE_LIST,
  CARD,
  Elapsed,
  Faint,
  formatCost,
  StatusChip,
  type ChildSession,
  type SessionDetail,
} from '@tarsy/ui';
import type { ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';

/** Sub-agents that a stage dispatched, each a link to its session. */
export function ChildList({ dispatched }: { dispatched: readonly ChildSession[] }): ReactElement | null {
  if (dispatched.length === 0) return null;
  return (
    <Box component="ul" aria-label="Sub-agents" data-testid="children" sx={{ ...BARE_LIST, display: 'grid', gap: 0.5 }}>
      {dispatched.map((child) => (
        <Box
          component="li"
          key={child.session_id}
          sx={{ display: 'flex', columnGap: 1, alignItems: 'center', flexWrap: 'wrap', minWidth: 0 }}
        >
          <Link
            component={RouterLink}
            to={`/sessions/${child.session_id}`}
            variant="body2"
            title={child.task}
            sx={{ overflowWrap: 'anywhere' }}
          >
            {child.agent}
          </Link>
          <StatusChip status={child.status} outcome={child.outcome} verdict={child.verdict} />
          <Faint>
            <Elapsed startUs={child.started_at_us} endUs={child.completed_at_us} />
            {child.cost_usd == null ? '' : ` · ${formatCost(child.cost_usd, 'complete')}`}
          </Faint>
        </Box>
      ))}
    </Box>
  );
}

/** Task of a sub-agent's session, with a link to its parent session. */
export function DispatchNote({ session }: { session: SessionDetail }): ReactElement | null {
  if (session.task == null || session.parent_session_id == null) return null;
  return (
    <Box component="section" aria-label="Task" sx={{ ...CARD, px: 1.5, py: 1, minWidth: 0 }}>
      <Faint>
        Task of a sub-agent, from{' '}
        <Link component={RouterLink} to={`/sessions/${session.parent_session_id}`} underline="hover">
          session {session.parent_session_id.slice(-6)}
        </Link>
      </Faint>
      <Typography
        variant="body2"
        sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', maxHeight: 160, overflow: 'auto' }}
      >
        {session.task}
      </Typography>
    </Box>
  );
}
