import { ToggleButton, ToggleButtonGroup, type SxProps, type ToggleButtonGroupProps } from '@mui/material';
import type { ReactElement } from 'react';

type Options<T extends string> = readonly (readonly [value: T, word: string])[];

/** The buttons of a group. */
export const toggleButtons = <T extends string>(options: Options<T>, sx?: SxProps): ReactElement[] =>
  options.map(([value, word]) => (
    <ToggleButton key={value} value={value} sx={sx}>
      {word}
    </ToggleButton>
  ));

interface Props<T extends string> extends Omit<ToggleButtonGroupProps, 'onChange' | 'value'> {
  label: string;
  value: T;
  options: Options<T>;
  onChange: (value: T) => void;
  /** Style of each button. */
  button?: SxProps;
}

/** Group of buttons, exactly one of which is pressed. */
export function Toggle<T extends string>({ label, options, onChange, button, ...props }: Props<T>): ReactElement {
  return (
    <ToggleButtonGroup
      exclusive
      size="small"
      aria-label={label}
      onChange={(_, next: T | null) => {
        if (next !== null) onChange(next);
      }}
      {...props}
    >
      {toggleButtons(options, button)}
    </ToggleButtonGroup>
  );
}
