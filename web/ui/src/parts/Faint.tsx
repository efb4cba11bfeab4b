import { Typography, type TypographyProps } from '@mui/material';
import type { ElementType, ReactElement } from 'react';

/** Small text that stands back: a note, a name, a figure. */
export const Faint = (props: TypographyProps & { component?: ElementType }): ReactElement => (
  <Typography variant="caption" color="text.secondary" {...props} />
);
