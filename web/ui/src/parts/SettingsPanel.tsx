import { Alert, Box, Button, Popover, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material';
import { useState, type ReactElement } from 'react';
import { tabToken } from '../api/access';
import { asApiError } from '../api/problem';
import { signOut } from '../api/signIn';
import { setPrefs, usePrefs } from '../prefs/prefs';
import { useMe } from './access';
import { SignInForm } from './SignInForm';

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}

function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>): ReactElement {
  return (
    <Box sx={{ display: 'grid', gap: 0.5 }}>
      <Typography variant="caption" color="text.secondary">
        {label}
      </Typography>
      <ToggleButtonGroup
        exclusive
        size="small"
        value={value}
        aria-label={label}
        onChange={(_, next: T | null) => {
          if (next !== null) onChange(next);
        }}
      >
        {options.map(([key, word]) => (
          <ToggleButton key={key} value={key} sx={{ py: 0.25, px: 1.5, textTransform: 'none' }}>
            {word}
          </ToggleButton>
        ))}
      </ToggleButtonGroup>
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

/** Panel of the settings: theme, time zone, time style, who is signed in. */
export default function SettingsPanel({ anchor, onClose }: { anchor: HTMLElement; onClose: () => void }): ReactElement {
  const prefs = usePrefs();
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
      <Choice
        label="Theme"
        value={prefs.theme}
        options={[
          ['system', 'System'],
          ['light', 'Light'],
          ['dark', 'Dark'],
        ]}
        onChange={(theme) => {
          setPrefs({ theme });
        }}
      />
      <Choice
        label="Time zone"
        value={prefs.zone}
        options={[
          ['local', 'Local'],
          ['utc', 'UTC'],
        ]}
        onChange={(zone) => {
          setPrefs({ zone });
        }}
      />
      <Choice
        label="Timestamps in lists"
        value={prefs.times}
        options={[
          ['relative', 'Relative'],
          ['absolute', 'Absolute'],
        ]}
        onChange={(times) => {
          setPrefs({ times });
        }}
      />
      <Account onDone={onClose} />
    </Popover>
  );
}
