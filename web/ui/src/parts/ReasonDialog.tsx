import { Alert, Button, Dialog, DialogActions, DialogContent, DialogTitle, TextField } from '@mui/material';
import { useState, type ReactElement, type ReactNode } from 'react';
import { asApiError } from '../api/problem';
import { onText } from './onText';

interface Props {
  title: string;
  /** The verb on the button, e.g. `Cancel 3 sessions`. */
  verb: string;
  danger?: boolean;
  /** Why it cannot be confirmed yet; null: it can. */
  why?: string | null;
  /** The role that the action requires. */
  needs?: 'operator' | 'admin';
  /** Whether `children` contains fields to fill in first. If so, the reason does not get the initial focus. */
  hasFields?: boolean;
  children?: ReactNode;
  onClose: () => void;
  /** Runs the action; the dialog closes on success and shows the error otherwise. */
  onConfirm: (reason: string) => Promise<unknown>;
}

/** Asks for the reason of an action, for the audit log. */
export function ReasonDialog({
  title,
  verb,
  danger = false,
  why = null,
  needs = 'operator',
  hasFields = false,
  children,
  onClose,
  onConfirm,
}: Props): ReactElement {
  const [reason, setReason] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const missing = reason.trim().length < 3;
  const confirm = async (): Promise<void> => {
    if (missing || busy || why !== null) return;
    setBusy(true);
    setError(null);
    try {
      await onConfirm(reason.trim());
      onClose();
    } catch (thrown) {
      const problem = asApiError(thrown);
      setError(
        problem.kind === 'absent'
          ? 'Not available in this API version.'
          : problem.kind === 'unauthorized' || problem.kind === 'forbidden'
            ? `Permission denied. This requires an ${needs} key.`
            : `${problem.message} (${problem.code})`,
      );
      setBusy(false);
    }
  };
  return (
    <Dialog open onClose={busy ? undefined : onClose} aria-labelledby="reason-title">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <DialogTitle id="reason-title">{title}</DialogTitle>
        <DialogContent sx={{ display: 'grid', gap: 2 }}>
          {children}
          <TextField
            // Taking the focus is fine: the user opened the dialog to fill it in.
            autoFocus={!hasFields}
            label="Reason"
            value={reason}
            required
            onChange={onText(setReason)}
            helperText="At least 3 characters. Recorded in the audit log with your name."
          />
          {error === null ? null : <Alert severity="error">{error}</Alert>}
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose} disabled={busy}>
            Close
          </Button>
          <Button
            type="submit"
            variant="contained"
            color={danger ? 'error' : 'primary'}
            disabled={missing || busy || why !== null}
            title={why ?? undefined}
            data-testid="reason-confirm"
          >
            {busy ? 'Working…' : verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
