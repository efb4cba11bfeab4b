import { Alert, Typography } from '@mui/material';
import {
  asApiError,
  formatCount,
  bulkAction,
  pluralize,
  ReasonDialog,
  type BulkAction,
  type BulkResult,
  type Query,
} from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';

interface Props {
  action: BulkAction;
  query: Query;
  onClose: () => void;
  onDone: (answer: BulkResult) => void;
}

/** Statuses that an action applies to; the API rejects an empty filter. */
const STATUSES: Record<BulkAction, string[]> = { cancel: ['pending', 'in_progress'], replay: ['completed', 'failed'] };

/** The list's filters, limited to statuses that the action applies to. */
export function filterFor(action: BulkAction, query: Query): Query {
  const wanted = Array.isArray(query.status) ? (query.status as string[]) : [];
  const both = wanted.length === 0 ? STATUSES[action] : wanted.filter((status) => STATUSES[action].includes(status));
  // The action applies to no shown status. Keeps the shown statuses, so that the action matches no session.
  return { ...query, status: both.length === 0 ? wanted : both };
}

const VERB: Record<BulkAction, string> = { cancel: 'Cancel', replay: 'Replay' };
/** Consequences of an action, shown before confirmation. */
export const ACTION_EFFECT: Record<BulkAction, string> = {
  cancel:
    'Running stages stop within a second, including tool calls. Results so far are kept. A cancelled session cannot be resumed.',
  replay:
    'The first failed stage of each session gets a new attempt, and later stages run again. Earlier attempts are kept. Models and tools are called again, at a cost.',
};

/** Confirms a bulk action on all sessions that match the filters, after counting them. */
export function BulkConfirmDialog({ action, query, onClose, onDone }: Props): ReactElement {
  const filter = filterFor(action, query);
  const { data, error, isPending } = useQuery({
    queryKey: ['dry-run', action, filter],
    queryFn: async () => bulkAction(action, filter, 'counted before asking', true),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const number = data === undefined ? '…' : `${formatCount(data.matched)}${data.matched_is_exact ? '' : '+'}`;
  const none = data?.matched === 0;
  return (
    <ReasonDialog
      danger={action === 'cancel'}
      title={`${VERB[action]} all matching sessions?`}
      verb={
        data === undefined || none
          ? VERB[action]
          : `${VERB[action]} ${number} ${data.matched === 1 ? 'session' : 'sessions'}`
      }
      why={
        isPending ? 'Counting sessions…' : error !== null ? 'Counting failed.' : none ? 'No session to act on.' : null
      }
      onClose={onClose}
      onConfirm={async (reason) => {
        onDone(await bulkAction(action, filter, reason, false));
      }}
    >
      {error !== null ? (
        <Alert severity="error">
          {asApiError(error).message} ({asApiError(error).code})
        </Alert>
      ) : (
        <Typography variant="body2" role="status" data-testid="matched">
          {isPending ? (
            'Counting…'
          ) : none ? (
            `No matching session can be ${action === 'cancel' ? 'cancelled: none is running' : 'replayed: none has a failed stage'}.`
          ) : (
            <>
              <b>{number}</b> {data.matched === 1 ? 'session' : 'sessions'} matching the filters can be{' '}
              {action === 'cancel' ? 'cancelled' : 'replayed'}, including those not loaded here.
            </>
          )}
        </Typography>
      )}
      <Typography variant="body2" color="text.secondary">
        {ACTION_EFFECT[action]}
      </Typography>
    </ReasonDialog>
  );
}

/** Message about the result of a bulk action. */
export function bulkResult(
  action: BulkAction,
  { matched, affected, matched_is_exact: exact }: BulkResult,
): { text: string; bad: boolean } {
  const done = `${action === 'cancel' ? 'Cancelled' : 'Replaying'} ${pluralize(affected, 'session')}.`;
  const left = matched - affected;
  if (left <= 0 && exact) return { text: done, bad: false };
  return {
    text: `${done} ${formatCount(Math.max(0, left))}${exact ? '' : '+'} remaining. Each request handles a batch; repeat for the rest.`,
    bad: true,
  };
}
