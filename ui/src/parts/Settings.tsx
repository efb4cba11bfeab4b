import { Box, Button, IconButton, Popover, TextField, ToggleButton, ToggleButtonGroup, Tooltip, Typography } from '@mui/material';
import { Settings2 } from 'lucide-react';
import { useState, type ReactElement } from 'react';
import { accessKey, setAccessKey } from '../api/access';
import { setPrefs, usePrefs } from '../prefs/prefs';
import { useMe } from './access';

interface ChoiceProps<T extends string> { label: string; value: T; options: readonly (readonly [T, string])[]; onChange: (value: T) => void }

function Choice<T extends string>({ label, value, options, onChange }: ChoiceProps<T>): ReactElement {
  return (
    <Box sx={{ display: 'grid', gap: 0.5 }}>
      <Typography variant="caption" color="text.secondary">{label}</Typography>
      <ToggleButtonGroup exclusive size="small" value={value} aria-label={label} onChange={(_, next: T | null) => { if (next !== null) onChange(next); }}>
        {options.map(([key, word]) => <ToggleButton key={key} value={key} sx={{ py: 0.25, px: 1.5, textTransform: 'none' }}>{word}</ToggleButton>)}
      </ToggleButtonGroup>
    </Box>
  );
}

function KeyField({ onDone }: { onDone: () => void }): ReactElement {
  const [draft, setDraft] = useState('');
  const has = accessKey() !== null;
  const { data: who } = useMe();
  return (
    <form onSubmit={(event) => { event.preventDefault(); setAccessKey(draft.trim()); onDone(); }} style={{ display: 'grid', gap: 8 }}>
      {who != null && who.auth !== 'off' && <Typography variant="body2" data-testid="who">Signed in as <b>{who.name}</b> ({who.role}).</Typography>}
      <TextField
        label="Access key" type="password" autoComplete="off" value={draft} placeholder={has ? 'key is set' : ''}
        onChange={(event) => { setDraft(event.target.value); }} helperText="Stored in this tab only."
      />
      <Box sx={{ display: 'flex', gap: 1 }}>
        <Button type="submit" variant="outlined" disabled={draft.trim() === ''}>Use key</Button>
        {has && <Button onClick={() => { setAccessKey(null); onDone(); }}>Sign out</Button>}
      </Box>
    </form>
  );
}

/** Theme, time zone, time style, access key. */
export function Settings(): ReactElement {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const prefs = usePrefs();
  return (
    <>
      <Tooltip title="Settings">
        <IconButton aria-label="Settings" aria-haspopup="dialog" onClick={(event) => { setAnchor(event.currentTarget); }}><Settings2 size={18} /></IconButton>
      </Tooltip>
      <Popover
        open={anchor !== null} anchorEl={anchor} onClose={() => { setAnchor(null); }}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }} transformOrigin={{ vertical: 'top', horizontal: 'right' }}
        slotProps={{ paper: { 'aria-label': 'Settings', role: 'dialog', sx: { p: 2, width: 290, display: 'grid', gap: 2 } } as object }}
      >
        <Choice label="Theme" value={prefs.theme} options={[['system', 'System'], ['light', 'Light'], ['dark', 'Dark']]} onChange={(theme) => { setPrefs({ theme }); }} />
        <Choice label="Time zone" value={prefs.zone} options={[['local', 'Local'], ['utc', 'UTC']]} onChange={(zone) => { setPrefs({ zone }); }} />
        <Choice label="Timestamps in lists" value={prefs.times} options={[['relative', 'Relative'], ['absolute', 'Absolute']]} onChange={(times) => { setPrefs({ times }); }} />
        <KeyField onDone={() => { setAnchor(null); }} />
      </Popover>
    </>
  );
}
