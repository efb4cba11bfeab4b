import { Autocomplete, TextField } from '@mui/material';
import { useState, type ReactElement } from 'react';

interface Props {
  /** As `field:value`. */
  filters: readonly string[];
  /** Fields that are completed; empty: not known yet. */
  fields: readonly string[];
  mistake: string | null;
  onChange: (filters: string[]) => void;
}

/** Filters of a question, each a chip; names of fields are completed. */
export function FilterField({ filters, fields, mistake, onChange }: Props): ReactElement {
  const [typed, setTyped] = useState('');
  const keep = (values: readonly string[]): void => {
    const last = values.at(-1);
    // A completed name is not a filter yet: its value is typed next.
    if (values.length > filters.length && last !== undefined && last.endsWith(':')) { setTyped(last); return; }
    setTyped('');
    onChange([...new Set(values.map((value) => value.trim()).filter((value) => value !== ''))]);
  };
  return (
    <Autocomplete<string, true, false, true>
      multiple freeSolo size="small" options={typed.includes(':') ? [] : fields.map((field) => `${field}:`)} value={[...filters]} inputValue={typed}
      onInputChange={(_, next, reason) => { if (reason === 'input' || reason === 'clear') setTyped(next); }}
      onChange={(_, values) => { keep(values); }}
      // What was typed and left counts; a name alone does not.
      onBlur={() => { if (typed.trim() !== '' && !typed.trim().endsWith(':')) keep([...filters, typed]); }}
      slotProps={{ chip: { size: 'small' } }}
      renderInput={(params) => (
        <TextField {...params} label="Filters" placeholder={filters.length > 0 ? '' : fields[0] === undefined ? 'field:value' : `${fields[0]}:value`} error={mistake !== null} helperText={mistake} slotProps={{ inputLabel: { shrink: true } }} />
      )}
    />
  );
}
