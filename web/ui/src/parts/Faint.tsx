import { Typography, type TypographyProps } from '@mui/material';
import type { ElementType, ReactElement } from 'react';

/** Small text in the secondary colour, for a note, a name or a figure. */
export const Faint = (props: TypographyProps & { component?: ElementType }): ReactElement => (
  <Typography variant="caption" color="text.secondary" {...props} />
);
