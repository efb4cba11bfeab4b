import { Button, Tooltip, type ButtonProps } from '@mui/material';
import type { ReactElement } from 'react';

/** Button that explains why it is disabled, on hover, on focus and to screen readers; `why` null: enabled. */
export function ExplainedButton({
  why,
  hint,
  onClick,
  ...props
}: ButtonProps & { why: string | null; hint?: string }): ReactElement {
  const button = (
    <Button
      {...props}
      aria-disabled={why !== null}
      onClick={why === null ? onClick : undefined}
      sx={{ ...(why === null ? {} : { opacity: 0.6, cursor: 'not-allowed' }), ...(props.sx as object | undefined) }}
    />
  );
  // Always within a tooltip. If the element were replaced when the reason disappears, focus and a click in progress
  // would be lost.
  return (
    <Tooltip title={why ?? hint ?? ''} describeChild>
      {button}
    </Tooltip>
  );
}
