import { Box, Button, Table, TableBody, TableCell, TableHead, TableRow, Typography } from '@mui/material';
import { asApiError, CARD, ErrorState, Faint, Loading, Time } from '@tarsy/ui';
import type { ReactElement, ReactNode } from 'react';
import { HIDDEN } from '../app/HiddenTitle';

/** A titled part of a page. */
export function Section({
  title,
  id,
  note,
  children,
}: {
  title: string;
  id?: string;
  note?: ReactNode;
  children: ReactNode;
}): ReactElement {
  const label = `${id ?? title.toLowerCase().replaceAll(' ', '-')}-title`;
  return (
    <Box component="section" id={id} aria-labelledby={label} sx={{ ...CARD, overflow: 'hidden', scrollMarginTop: 54 }}>
      <Box sx={{ px: 2, py: 1.25, display: 'flex', gap: 1.5, alignItems: 'baseline', flexWrap: 'wrap' }}>
        <Typography variant="h2" id={label}>
          {title}
        </Typography>
        <Faint>{note}</Faint>
      </Box>
      {children}
    </Box>
  );
}

interface TableProps {
  head: readonly (string | readonly [string, 'right'])[];
  /** Extra header cell before the first column. */
  first?: ReactElement;
  children: ReactNode;
  label: string;
}

/**
 * On a phone, shows a shade at the right edge while the table continues beyond it. The first layer moves with the
 * table, and covers the shade at the table's end.
 */
const SCROLLED = {
  overflowX: 'auto',
  background: {
    xs: [
      'linear-gradient(to left, var(--mui-palette-background-paper) 50%, transparent) right / 64px 100% no-repeat local',
      'linear-gradient(to left, var(--mui-palette-divider), transparent) right / 32px 100% no-repeat scroll',
    ].join(),
    sm: 'none',
  },
};

/** A small table that scrolls sideways. */
export function SmallTable({ head, first, children, label }: TableProps): ReactElement {
  return (
    <Box sx={SCROLLED} tabIndex={0} role="group" aria-label={label}>
      <Table
        size="small"
        aria-label={label}
        sx={{
          '& td, & th': { borderColor: 'divider', fontSize: '0.8125rem', py: 0.5, px: 2 },
          '& tbody tr:last-child > *': { borderBottom: 0 },
        }}
      >
        <TableHead>
          <TableRow>
            {first}
            {head
              .map((one) => (typeof one === 'string' ? ([one, 'left'] as const) : one))
              .map(([name, align]) => (
                <TableCell
                  key={name}
                  align={align}
                  sx={{ color: 'text.secondary', fontWeight: 600, borderTop: 1, whiteSpace: 'nowrap' }}
                >
                  {name === '' ? <span style={HIDDEN}>Actions</span> : name}
                </TableCell>
              ))}
          </TableRow>
        </TableHead>
        <TableBody>{children}</TableBody>
      </Table>
    </Box>
  );
}

/** Style of a cell with a number, and of its column's head. */
export const NUMBER = { align: 'right', sx: { fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' } } as const;
export const toRight = (name: string): readonly [string, 'right'] => [name, 'right'];

/** Table cell with an optional time. */
export const TimeCell = ({ us }: { us: number | null | undefined }): ReactElement => (
  <TableCell sx={{ whiteSpace: 'nowrap' }}>{us == null ? '–' : <Time us={us} />}</TableCell>
);

/** The part of a query result that is rendered. */
interface Asked<T> {
  data: T | undefined;
  error: unknown;
  isPending: boolean;
  refetch: () => Promise<unknown>;
}

/** A line of text in place of a section's table. */
export const SectionText = ({ children }: { children: ReactNode }): ReactElement => (
  <Typography variant="body2" color="text.secondary" sx={{ px: 2, pb: 2 }}>
    {children}
  </Typography>
);

/** Renders a query's data, loading state or error. */
export function QueryResult<T>({
  list,
  what,
  why = null,
  children,
}: {
  list: Asked<T>;
  what: string;
  /** Why the user may not read it; null: they may. */
  why?: string | null;
  children: (data: T) => ReactNode;
}): ReactElement {
  if (why !== null) return <SectionText>{why}</SectionText>;
  if (list.data !== undefined) return <>{children(list.data)}</>;
  if (list.isPending) return <Loading what={what} />;
  if (asApiError(list.error).kind === 'absent') return <SectionText>Not available in this API version.</SectionText>;
  return <ErrorState error={list.error} onRetry={list.refetch} />;
}

/** Button for the next page of a list, if there is one. */
export function LoadMore({
  list: { hasNextPage, fetchNextPage },
  verb = 'Load more',
}: {
  list: { hasNextPage: boolean; fetchNextPage: () => Promise<unknown> };
  verb?: string;
}): ReactElement | null {
  if (!hasNextPage) return null;
  return (
    <Box sx={{ p: 1, textAlign: 'center' }}>
      <Button
        onClick={() => {
          void fetchNextPage();
        }}
      >
        {verb}
      </Button>
    </Box>
  );
}
