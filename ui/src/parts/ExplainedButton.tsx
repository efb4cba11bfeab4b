import { Button, Tooltip, type ButtonProps } from '@mui/material';
import type { ReactElement } from 'react';

/** A button that says why it is disabled: on hover, on focus and to a screen reader. `why` null: enabled. */
export function ExplainedButton({ why, hint, onClick, ...props }: ButtonProps & { why: string | null; hint?: string }): ReactElement {
  const button = (
    <Button
      {...props}
      aria-disabled={why !== null}
      onClick={why === null ? onClick : undefined}
      sx={{ ...(why === null ? {} : { opacity: 0.6, cursor: 'not-allowed' }), ...(props.sx as object | undefined) }}
    />
  );
  const title = why ?? hint ?? '';
  return title === '' ? button : <Tooltip title={title} describeChild>{button}</Tooltip>;
}
