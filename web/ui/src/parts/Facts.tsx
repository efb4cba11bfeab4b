import { Box, Typography, type BoxProps } from '@mui/material';
import type { ReactElement, ReactNode } from 'react';
import { Faint } from './Faint';

/** List of names with their values, each a `Fact`. */
export function Facts({ sx, ...props }: BoxProps): ReactElement {
  return (
    <Box
      component="dl"
      {...props}
      sx={{
        m: 0,
        display: 'grid',
        alignItems: 'baseline',
        gridTemplateColumns: 'max-content minmax(0, 1fr)',
        columnGap: 1.5,
        rowGap: 0.25,
        ...(sx as object | undefined),
      }}
    />
  );
}

export function Fact({ name, testid, children }: { name: string; testid?: string; children: ReactNode }): ReactElement {
  return (
    <>
      <Faint component="dt">{name}</Faint>
      <Typography
        component="dd"
        variant="body2"
        data-testid={testid}
        sx={{ m: 0, minWidth: 0, overflowWrap: 'anywhere' }}
      >
        {children}
      </Typography>
    </>
  );
}
