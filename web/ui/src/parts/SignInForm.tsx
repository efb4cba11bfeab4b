import { Alert, Button, TextField } from '@mui/material';
import { useState, type ReactElement, type ReactNode } from 'react';
import { signIn } from '../api/signIn';
import { asApiError } from '../api/problem';
import { onText } from './onText';

interface Props {
  verb: string;
  autoFocus?: boolean;
  /** Whether the form starts with the error that the access key is invalid. */
  refused?: boolean;
  onDone?: () => void;
  children?: ReactNode;
}

const REFUSED = 'Invalid access key. It may be mistyped, expired or revoked.';

/** Field for an access key or token; signs this browser in. */
export function SignInForm({ verb, autoFocus = false, refused = false, onDone, children }: Props): ReactElement {
  const [draft, setDraft] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(refused ? REFUSED : null);
  const submit = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await signIn(draft.trim());
      onDone?.();
    } catch (thrown) {
      const problem = asApiError(thrown);
      setError(problem.kind === 'unauthorized' ? REFUSED : `${problem.message} (${problem.code})`);
    }
    setBusy(false);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      style={{ display: 'grid', gap: 16 }}
    >
      {error !== null && <Alert severity="error">{error}</Alert>}
      <TextField
        autoFocus={autoFocus}
        label="Access key"
        type="password"
        autoComplete="current-password"
        value={draft}
        onChange={onText(setDraft)}
        helperText="Exchanged for a session of this browser; the key itself is not kept."
      />
      <div style={{ display: 'flex', gap: 8 }}>
        <Button type="submit" variant="contained" size="medium" disabled={busy || draft.trim() === ''} sx={{ flex: 1 }}>
          {verb}
        </Button>
        {children}
      </div>
    </form>
  );
}
