import { Box, Divider, MenuItem } from '@mui/material';
import { TipButton } from '@tarsy/ui';
import { Columns3 } from 'lucide-react';
import type { ReactElement } from 'react';
import { nextSorting, SORTS, type Sorting } from './filters';
import type { Visible } from './Table';
import { MenuButton } from '../app/MenuButton';

const OPTIONAL: readonly [string, string][] = [
  ['severity', 'Severity'],
  ['stages', 'Stages'],
  ['completed_at_us', 'Ended'],
  ['tokens', 'Tokens'],
  ['cost_usd', 'Cost'],
  ['chain', 'Chain'],
];
const STORED = 'tarsy.columns';
/** Columns hidden by default. The chain is a facet, and the cost covers the tokens. */
const DEFAULT: Visible = { chain: false, completed_at_us: false, tokens: false };
/** Column visibility stored in this browser. */
export function storedColumns(): Visible {
  try {
    return { ...DEFAULT, ...(JSON.parse(localStorage.getItem(STORED) ?? '{}') as Visible) };
  } catch {
    return DEFAULT;
  }
}

/** Stores the columns in this browser. */
export const keepColumns = (columns: Visible): void => {
  localStorage.setItem(STORED, JSON.stringify(columns));
};

interface Props {
  visible: Visible;
  onChange: (next: Visible) => void;
  sort: Sorting;
  onSort: (next: Sorting) => void;
  /** Whether an incident is one row in the unfiltered list. */
  grouping: boolean;
  onGrouping: (next: boolean) => void;
}

/** Menu item with a check mark or another mark. The menu stays open when it is chosen. */
const item = (
  key: string,
  role: 'menuitemcheckbox' | 'menuitemradio',
  mark: string | null,
  label: string,
  onClick: () => void,
): ReactElement => (
  <MenuItem key={key} role={role} aria-checked={mark !== null} dense onClick={onClick}>
    <Box component="span" aria-hidden sx={{ width: '1.5em' }}>
      {mark}
    </Box>
    {label}
  </MenuItem>
);

/** Menu of the visible columns and of the sort order. On a phone there are no column headers to sort by. */
export function ColumnMenu({ visible, onChange, sort, onSort, grouping, onGrouping }: Props): ReactElement {
  return (
    <MenuButton
      button={(open) => (
        <TipButton tip="Columns and sorting" label="Columns" aria-haspopup="menu" onClick={open}>
          <Columns3 size={16} />
        </TipButton>
      )}
    >
      {() => [
        ...OPTIONAL.map(([id, label]) => {
          const on = visible[id] !== false;
          return item(id, 'menuitemcheckbox', on ? '✓' : null, label, () => {
            onChange({ ...visible, [id]: !on });
          });
        }),
        <Divider key="grouping" />,
        item('incidents', 'menuitemcheckbox', grouping ? '✓' : null, 'One row per incident', () => {
          onGrouping(!grouping);
        }),
        <Divider key="sorting" />,
        ...SORTS.map(([by, , label]) => {
          const mark = sort.by !== by ? null : sort.ascending ? '↑' : '↓';
          return item(`by ${by}`, 'menuitemradio', mark, `Sort by ${label.toLowerCase()}`, () => {
            onSort(nextSorting(sort, by));
          });
        }),
      ]}
    </MenuButton>
  );
}
