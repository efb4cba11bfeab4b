import { Link as MuiLink, TableCell, TableRow } from '@mui/material';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'react-router-dom';

/** Row with the sums of one group. Its name links to its sessions if they can be listed. */
export function GroupRow({
  testid,
  name,
  to,
  children,
}: {
  testid: string;
  name: string;
  to: string | null;
  children: ReactNode;
}): ReactElement {
  return (
    <TableRow data-testid={testid}>
      <TableCell component="th" scope="row" sx={{ fontWeight: 600, overflowWrap: 'anywhere', minWidth: 170 }}>
        {to === null ? (
          name
        ) : (
          <MuiLink component={Link} to={to} title="Sessions that started in this time">
            {name}
          </MuiLink>
        )}
      </TableCell>
      {children}
    </TableRow>
  );
}

/** Row with the sums of all groups. */
export const TotalRow = ({ testid, children }: { testid: string; children: ReactNode }): ReactElement => (
  <TableRow data-testid={testid} sx={{ '& td, & th': { fontWeight: 650 }, '& > th': { borderBottom: 0 } }}>
    <TableCell component="th" scope="row">
      Total
    </TableCell>
    {children}
  </TableRow>
);
