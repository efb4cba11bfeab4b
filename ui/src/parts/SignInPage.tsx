import { Box, Typography } from '@mui/material';
import { KeyRound } from 'lucide-react';
import type { ReactElement } from 'react';
import { tabToken } from '../api/access';
import { SignInForm } from './SignInForm';

/** Asks who somebody is. */
export default function SignInPage(): ReactElement {
  return (
    <Box sx={{ display: 'grid', placeItems: 'center', px: 2, py: 8 }}>
      <Box
        component="section"
        aria-labelledby="sign-in-title"
        data-testid="sign-in"
        sx={{
          width: '100%',
          maxWidth: 420,
          display: 'grid',
          gap: 2,
          p: 3,
          border: 1,
          borderColor: 'divider',
          borderRadius: 1,
          bgcolor: 'background.paper',
        }}
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
        <SignInForm verb="Sign in" autoFocus refused={tabToken() !== null} />
        <Typography variant="caption" color="text.secondary">
          No key? An admin can create one on the page Keys, or with{' '}
          <code>tarsy keys create &lt;name&gt; --role viewer --reason &lt;why&gt;</code>.
        </Typography>
      </Box>
    </Box>
  );
}
