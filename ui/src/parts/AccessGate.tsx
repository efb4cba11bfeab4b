import { Alert, Box, Button, TextField, Typography } from '@mui/material';
import { KeyRound } from 'lucide-react';
import { useState, type ReactElement, type ReactNode } from 'react';
import { accessKey, setAccessKey } from '../api/access';
import { ApiError } from '../api/problem';
import { useMe } from './access';

function SignIn({ refused }: { refused: boolean }): ReactElement {
  const [draft, setDraft] = useState('');
  return (
    <Box sx={{ display: 'grid', placeItems: 'center', px: 2, py: 8 }}>
      <Box
        component="form" aria-labelledby="sign-in-title" data-testid="sign-in"
        onSubmit={(event) => { event.preventDefault(); setAccessKey(draft.trim()); }}
        sx={{ width: '100%', maxWidth: 420, display: 'grid', gap: 2, p: 3, border: 1, borderColor: 'divider', borderRadius: 1, bgcolor: 'background.paper' }}
      >
        <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center' }}><KeyRound size={20} aria-hidden /><Typography variant="h1" id="sign-in-title">Sign in</Typography></Box>
        <Typography variant="body2" color="text.secondary">Authentication required. A <b>viewer</b> key can read everything. An <b>operator</b> key can also replay, cancel, pause and drain.</Typography>
        {refused && <Alert severity="error">Invalid access key. It may be mistyped, expired or revoked.</Alert>}
        <TextField
          // The only thing to do here.
          autoFocus
          label="Access key" type="password" autoComplete="current-password" value={draft} onChange={(event) => { setDraft(event.target.value); }}
          helperText="Stored in this tab only. Closing the tab signs you out."
        />
        <Button type="submit" variant="contained" size="medium" disabled={draft.trim() === ''}>Sign in</Button>
        <Typography variant="caption" color="text.secondary">No key? An admin can create one with <code>tarsy keys create &lt;name&gt; --role viewer --reason &lt;why&gt;</code>.</Typography>
      </Box>
    </Box>
  );
}

/** Shows the sign-in form if the API requires authentication, else its children. */
export function AccessGate({ children }: { children: ReactNode }): ReactElement {
  const { error } = useMe();
  if (error instanceof ApiError && error.kind === 'unauthorized') return <SignIn refused={accessKey() !== null} key={String(accessKey())} />;
  return <>{children}</>;
}
