import { MenuItem, TextField } from '@mui/material';
import type { ReactElement } from 'react';

/** A menu of words. */
export function Choice({
  label,
  value,
  words,
  onChange,
}: {
  label: string;
  value: string;
  words: readonly (readonly [string, string])[];
  onChange: (word: string) => void;
}): ReactElement {
  return (
    <TextField
      select
      label={label}
      value={value}
      sx={{ minWidth: 120 }}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    >
      {words.map(([word, said]) => (
        <MenuItem key={word} value={word}>
          {said}
        </MenuItem>
      ))}
    </TextField>
  );
}
