import { IconButton, Tooltip, type IconButtonProps } from '@mui/material';
import type { ReactElement } from 'react';

/** Icon button with a tooltip; `label` is its name where the tooltip says more. */
export function TipButton({
  tip,
  label = tip,
  ...props
}: IconButtonProps & { tip: string; label?: string }): ReactElement {
  return (
    <Tooltip title={tip}>
      <IconButton aria-label={label} {...props} />
    </Tooltip>
  );
}
