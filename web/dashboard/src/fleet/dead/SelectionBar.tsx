import { Alert, Box, Button, Typography } from '@mui/material';
import { pluralize, type DeadJob } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { ActionButtons } from './ActionButtons';
import type { Outcome } from '../../sessions/bulk';
import { short, resultMessage, type PendingAction, type Verb } from './actions';

interface Props {
  selected: readonly DeadJob[];
  mayNot: string | null;
  /** Last action and its result. */
  last: { verb: Verb; outcome: Outcome } | null;
  onAsk: (asked: PendingAction) => void;
  onClear: () => void;
  /** Dismisses the result. */
  onRead: () => void;
}

/** Bulk actions on selected jobs, and their result. */
export function SelectionBar({ selected, mayNot, last, onAsk, onClear, onRead }: Props): ReactElement | null {
  if (selected.length === 0 && last === null) return null;
  return (
    <Box
      role="group"
      aria-label="Selected dead jobs"
      sx={{ borderTop: 1, borderColor: 'divider', bgcolor: 'action.selected' }}
    >
      {selected.length > 0 && (
        <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', px: 2, py: 0.75, flexWrap: 'wrap' }}>
          <Typography variant="body2" role="status" sx={{ fontWeight: 600 }}>
            {pluralize(selected.length, 'job')} selected
          </Typography>
          <ActionButtons jobs={selected} count={String(selected.length)} mayNot={mayNot} onAsk={onAsk} />
          <Button onClick={onClear}>Clear</Button>
        </Box>
      )}
      {last !== null && (
        <Alert
          role="status"
          square
          severity={last.outcome.failed.length > 0 ? 'warning' : 'success'}
          onClose={onRead}
          data-testid="dead-told"
          sx={{ py: 0 }}
        >
          {resultMessage(last.verb, last.outcome)}
          {last.outcome.failed.length > 0 && (
            <Box component="ul" sx={{ m: 0, pl: 2.5, maxHeight: 160, overflowY: 'auto' }}>
              {last.outcome.failed.map(({ id, why }) => (
                <li key={id}>
                  {short(id)}: {why}
                </li>
              ))}
            </Box>
          )}
        </Alert>
      )}
    </Box>
  );
}
