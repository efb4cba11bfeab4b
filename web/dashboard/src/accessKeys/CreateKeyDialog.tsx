import { TextField } from '@mui/material';
import { Choice, createAccessKey, onText, ReasonDialog, type NewAccessKey, type Role } from '@tarsy/ui';
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
        onChange={onText(setName)}
        slotProps={{ htmlInput: { maxLength: 100 } }}
        helperText="Who uses it. Names its actions in the audit log."
        sx={{ mt: 1 }}
      />
      <Choice
        label="Role"
        value={role}
        options={ROLES.map(([value, does]) => [value, `${value}: ${does}`] as const)}
        onChange={setRole}
      />
      <Choice
        label="Expires"
        value={String(days)}
        options={LIFETIMES.map(([label, value]) => [String(value), label] as const)}
        onChange={(value) => {
          setDays(value === 'null' ? null : Number(value));
        }}
      />
    </ReasonDialog>
  );
}
