import { MenuItem, TextField } from '@mui/material';
import { createAccessKey, ReasonDialog, type NewAccessKey, type Role } from '@tarsy/ui';
import { useState, type ReactElement } from 'react';
import { expiryOf, LIFETIMES, ROLES } from './keys';

interface Props {
  onClose: () => void;
  onCreated: (made: NewAccessKey) => void;
}

/** Asks for a new key's name, role, lifetime and reason. */
export function CreateKeyDialog({ onClose, onCreated }: Props): ReactElement {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [days, setDays] = useState<number | null>(90);
  const create = async (reason: string): Promise<void> => {
    onCreated(
      await createAccessKey({ name: name.trim(), role, reason, expires_at_us: expiryOf(days, Date.now() * 1000) }),
    );
  };
  return (
    <ReasonDialog
      title="Create an access key"
      verb="Create key"
      why={name.trim() === '' ? 'Enter a name.' : null}
      needs="admin"
      hasFields
      onClose={onClose}
      onConfirm={create}
    >
      <TextField
        autoFocus
        label="Name"
        value={name}
        required
        onChange={(event) => {
          setName(event.target.value);
        }}
        slotProps={{ htmlInput: { maxLength: 100 } }}
        helperText="Who uses it. Names its actions in the audit log."
        sx={{ mt: 1 }}
      />
      <TextField
        select
        label="Role"
        value={role}
        onChange={(event) => {
          setRole(event.target.value as Role);
        }}
      >
        {ROLES.map(([value, does]) => (
          <MenuItem key={value} value={value}>
            {value}: {does}
          </MenuItem>
        ))}
      </TextField>
      <TextField
        select
        label="Expires"
        value={String(days)}
        onChange={(event) => {
          setDays(event.target.value === 'null' ? null : Number(event.target.value));
        }}
      >
        {LIFETIMES.map(([label, value]) => (
          <MenuItem key={label} value={String(value)}>
            {label}
          </MenuItem>
        ))}
      </TextField>
    </ReasonDialog>
  );
}
