import Box from '@mui/material/Box';
import { COLUMN } from '@tarsy/ui';
import type { ReactElement, ReactNode } from 'react';

/** Layout of a page: one centred column of its parts, at most `widest` pixels wide. */
export const Page = ({
  widest,
  gap = 2,
  children,
}: {
  widest: number;
  gap?: number;
  children: ReactNode;
}): ReactElement => (
  <Box
    sx={{
      px: { xs: 1.5, md: 3 },
      py: 2,
      ...COLUMN,
      gap,
      alignContent: 'start',
      width: '100%',
      maxWidth: widest,
      mx: 'auto',
    }}
  >
    {children}
  </Box>
);
