import { IconButton, Tooltip, type IconButtonProps } from '@mui/material';
import type { ReactElement } from 'react';

/** Icon button with a tooltip; `label` is its accessible name if the tooltip contains more than that. */
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
