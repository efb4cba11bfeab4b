import { Alert, Box, Button, Popover, Typography } from '@mui/material';
import { useState, type ReactElement } from 'react';
import { tabToken } from '../api/access';
import { asApiError } from '../api/problem';
import { signOut } from '../api/signIn';
import { setPrefs, usePrefs, type Prefs } from '../prefs/prefs';
import { useMe } from './access';
import { SignInForm } from './SignInForm';
import { Toggle } from './Toggle';
import { Faint } from './Faint';

/** One of the preferences. */
function Setting<K extends keyof Prefs>({
  name,
  label,
  options,
}: {
  name: K;
  label: string;
  options: readonly (readonly [value: Prefs[K], word: string])[];
}): ReactElement {
  return (
    <Box sx={{ display: 'grid', gap: 0.5 }}>
      <Faint>{label}</Faint>
      <Toggle
        label={label}
        value={usePrefs()[name]}
        options={options}
        onChange={(value) => {
          setPrefs({ [name]: value });
        }}
        button={{ py: 0.25, px: 1.5, textTransform: 'none' }}
      />
    </Box>
  );
}

function Account({ onDone }: { onDone: () => void }): ReactElement | null {
  const { data: who } = useMe();
  const [error, setError] = useState<string | null>(null);
  if (who == null || who.auth === 'off') return null;
  const leave = async (): Promise<void> => {
    try {
      await signOut();
      onDone();
    } catch (thrown) {
      setError(asApiError(thrown).message);
    }
  };
  return (
    <Box sx={{ display: 'grid', gap: 1 }}>
      <Typography variant="body2" data-testid="who">
        Signed in as <b>{who.name}</b> ({who.role}).
      </Typography>
      {error !== null && <Alert severity="error">{error}</Alert>}
      <SignInForm verb="Use key" onDone={onDone}>
        {(who.auth === 'session' || tabToken() !== null) && (
          <Button
            variant="outlined"
            onClick={() => {
              void leave();
            }}
          >
            Sign out
          </Button>
        )}
      </SignInForm>
    </Box>
  );
}

/** Panel of the settings: theme, time zone, time style and sign-in. */
export default function SettingsPanel({ anchor, onClose }: { anchor: HTMLElement; onClose: () => void }): ReactElement {
  return (
    <Popover
      open
      anchorEl={anchor}
      onClose={onClose}
      anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
      transformOrigin={{ vertical: 'top', horizontal: 'right' }}
      slotProps={{
        paper: {
          'aria-label': 'Settings',
          role: 'dialog',
          sx: { p: 2, width: 290, display: 'grid', gap: 2 },
        } as object,
      }}
    >
      <Setting
        name="theme"
        label="Theme"
        options={[
          ['system', 'System'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
      />
      <Setting
        name="zone"
        label="Time zone"
        options={[
          ['local', 'Local'],
          ['utc', 'UTC'],
        ]}
      />
      <Setting
        name="times"
        label="Timestamps in lists"
        options={[
          ['relative', 'Relative'],
          ['absolute', 'Absolute'],
        ]}
      />
      <Account onDone={onClose} />
    </Popover>
  );
}
