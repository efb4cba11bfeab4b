import { MenuItem, TextField, type SxProps } from '@mui/material';
import type { ReactElement, ReactNode } from 'react';

interface Props<T extends string | number> {
  label: string;
  value: T;
  /** Options, each with its displayed text. If `''` is an option, its text is shown while it is selected. */
  options: readonly (readonly [value: T, shown: ReactNode])[];
  onChange: (value: T) => void;
  /** Whether the menu is disabled (called without a value), or one of its values. */
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
