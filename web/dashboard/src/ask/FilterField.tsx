import { Box, Chip, TextField } from '@mui/material';
import { COLUMN, onText } from '@tarsy/ui';
import { useId, useState, type KeyboardEvent, type ReactElement } from 'react';

interface Props {
  /** Filters in the form `field:value`. */
  filters: readonly string[];
  /** Field names for completion; empty: not known yet. */
  fields: readonly string[];
  mistake: string | null;
  /** Edits the filters. */
  onChange: (edit: (now: string[]) => string[]) => void;
}

/** Field for the filters of a question, each a chip. The browser completes the names of fields. */
export function FilterField({ filters, fields, mistake, onChange }: Props): ReactElement {
  const [typed, setTyped] = useState('');
  const names = useId();
  const keep = (): void => {
    const filter = typed.trim();
    if (filter === '') return;
    setTyped('');
    onChange((now) => [...new Set([...now, filter])]);
  };
  const pressed = (event: KeyboardEvent): void => {
    // Enter in this field adds a filter, and does not submit the form.
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      keep();
    }
    if (event.key === 'Backspace' && typed === '') onChange((now) => now.slice(0, -1));
  };
  return (
    <Box sx={{ ...COLUMN, gap: 0.75 }}>
      <TextField
        label="Filters"
        value={typed}
        placeholder={`${fields[0] ?? 'field'}:value, then Enter`}
        error={mistake !== null}
        helperText={mistake}
        onChange={onText(setTyped)}
        onKeyDown={pressed}
        // Text that was typed counts as a filter when the field is left, unless it is a name without a value.
        onBlur={() => {
          if (!typed.trim().endsWith(':')) keep();
        }}
        slotProps={{ inputLabel: { shrink: true }, htmlInput: { list: names, autoComplete: 'off' } }}
      />
      <datalist id={names}>
        {typed.includes(':') ? null : fields.map((field) => <option key={field} value={`${field}:`} />)}
      </datalist>
      {filters.length > 0 && (
        <Box role="group" aria-label="Active filters" sx={{ display: 'flex', gap: 0.75, flexWrap: 'wrap' }}>
          {filters.map((filter) => (
            <Chip
              key={filter}
              variant="outlined"
              label={filter}
              onDelete={() => {
                onChange((now) => now.filter((one) => one !== filter));
              }}
              sx={{ maxWidth: '100%' }}
            />
          ))}
        </Box>
      )}
    </Box>
  );
}
