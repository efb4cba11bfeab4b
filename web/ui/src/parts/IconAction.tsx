import { styled } from '@mui/material/styles';
import type { ButtonHTMLAttributes, ReactElement } from 'react';

/** Styled once for all instances, because a scrolled list shows dozens. */
const Plain = styled('button')({
  font: 'inherit',
  color: 'var(--mui-palette-text-secondary)',
  background: 'none',
  border: 0,
  margin: 0,
  padding: 4,
  borderRadius: '50%',
  display: 'inline-flex',
  alignItems: 'center',
  justifyContent: 'center',
  cursor: 'pointer',
  lineHeight: 0,
  verticalAlign: 'middle',
  // WCAG 2.2, 2.5.8: a touch target measures at least 24 by 24 pixels.
  minWidth: 24,
  minHeight: 24,
  '&:hover': { background: 'var(--mui-palette-action-hover)' },
});

/** Icon button; `does` is its accessible name and tooltip. */
export function IconAction({
  does,
  hint = does,
  ...props
}: ButtonHTMLAttributes<HTMLButtonElement> & { does: string; hint?: string }): ReactElement {
  return <Plain type="button" aria-label={does} title={hint} {...props} />;
}
