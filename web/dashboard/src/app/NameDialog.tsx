import { Button, Dialog, DialogActions, DialogContent, DialogTitle, TextField } from '@mui/material';
import { onText } from '@tarsy/ui';
import { useId, useState, type ReactElement } from 'react';

interface Props {
  title: string;
  verb: string;
  help: string;
  /** The current name. */
  now?: string;
  /** Whether the name may be empty. */
  isOptional?: boolean;
  onClose: () => void;
  /** Saves the name. The dialog closes if this resolves to true. */
  onName: (name: string) => Promise<boolean>;
}

/** Asks for a name. */
export function NameDialog({ title, verb, help, now = '', isOptional = false, onClose, onName }: Props): ReactElement {
  const [name, setName] = useState(now);
  const label = useId();
  const isMissing = !isOptional && name.trim() === '';
  const take = async (): Promise<void> => {
    if (!isMissing && (await onName(name.trim()))) onClose();
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={label}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void take();
        }}
      >
        <DialogTitle id={label}>{title}</DialogTitle>
        <DialogContent>
          <TextField
            autoFocus
            fullWidth
            label="Name"
            value={name}
            onChange={onText(setName)}
            slotProps={{ htmlInput: { maxLength: 255 } }}
            helperText={help}
            sx={{ mt: 1 }}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="contained" disabled={isMissing}>
            {verb}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
