import { MenuItem, TextField, type SxProps } from '@mui/material';
import type { ReactElement, ReactNode } from 'react';

interface Props<T extends string | number> {
  label: string;
  value: T;
  /** What can be chosen, and what is shown of it; the value `''` is shown too. */
  options: readonly (readonly [value: T, shown: ReactNode])[];
  onChange: (value: T) => void;
  /** Whether nothing, or not this value, can be chosen now. */
  isDisabled?: (value?: T) => boolean;
  testid?: string;
  sx?: SxProps;
}

/** A menu of values. */
export function Choice<T extends string | number>({
  label,
  value,
  options,
  onChange,
  isDisabled = () => false,
  testid,
  sx,
}: Props<T>): ReactElement {
  const showsEmpty = options.some(([one]) => one === '');
  return (
    <TextField
      select
      label={label}
      value={value}
      disabled={isDisabled()}
      sx={sx}
      slotProps={{
        select: { displayEmpty: showsEmpty, SelectDisplayProps: { 'data-testid': testid } as object },
        inputLabel: showsEmpty ? { shrink: true } : undefined,
      }}
      onChange={(event) => {
        onChange(event.target.value as T);
      }}
    >
      {options.map(([one, shown]) => (
        <MenuItem key={one} value={one} disabled={isDisabled(one)}>
          {shown}
        </MenuItem>
      ))}
    </TextField>
  );
}
