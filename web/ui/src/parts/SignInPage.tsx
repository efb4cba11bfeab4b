import { Alert, Box, Button, Divider, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import type { ReactElement } from 'react';
import { tabToken } from '../api/access';
import { failureText, signInAddress, signInOptions } from '../api/singleSignOn';
import { SignInForm } from './SignInForm';
import { Faint } from './Faint';
import { CARD } from './looks';

/** Button that leads to the identity provider, if one is configured. */
function SingleSignOn(): ReactElement | null {
  const { data } = useQuery({
    queryKey: ['sign-in-options'],
    queryFn: async ({ signal }) => signInOptions(signal),
    staleTime: 300_000,
  });
  const provider = data?.identity_provider;
  if (provider == null) return null;
  return (
    <>
      <Button variant="contained" size="medium" href={signInAddress()} sx={{ overflowWrap: 'anywhere' }}>
        Sign in with {provider.name}
      </Button>
      <Divider>
        <Typography variant="body2" color="text.secondary">
          or with a key
        </Typography>
      </Divider>
    </>
  );
}

interface Props {
  /** Why a sign-in at the identity provider failed. */
  failure: string | null;
}

/** Page that asks the user to sign in. */
export default function SignInPage({ failure }: Props): ReactElement {
  return (
    <Box sx={{ display: 'grid', placeItems: 'center', px: 2, py: 8 }}>
      <Box
        component="section"
        aria-labelledby="sign-in-title"
        data-testid="sign-in"
        sx={{ width: '100%', maxWidth: 420, display: 'grid', gap: 2, p: 3, ...CARD }}
      >
        <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center' }}>
          <KeyRound size={20} aria-hidden />
          <Typography variant="h1" id="sign-in-title">
            Sign in
          </Typography>
        </Box>
        <Typography variant="body2" color="text.secondary">
          Authentication required. A <b>viewer</b> key can read everything. An <b>operator</b> key can also replay,
          cancel, pause and drain.
        </Typography>
        {failure !== null && <Alert severity="error">{failureText(failure)}</Alert>}
        <SingleSignOn />
        <SignInForm verb="Sign in" autoFocus refused={tabToken() !== null} />
        <Faint>
          No key? An admin can create one on the Keys page, or with{' '}
          <code>tarsy keys create &lt;name&gt; --role viewer --reason &lt;why&gt;</code>.
        </Faint>
      </Box>
    </Box>
  );
}
