import { Box, Divider, IconButton, Menu, MenuItem, Tooltip } from '@mui/material';
import { Columns3 } from 'lucide-react';
import { useState, type ReactElement } from 'react';
import { nextSorting, SORTS, type Sorting } from './filters';
import type { Visible } from './Table';

const OPTIONAL: readonly [string, string][] = [
  ['severity', 'Severity'],
  ['stages', 'Stages'],
  ['completed_at_us', 'Ended'],
  ['tokens', 'Tokens'],
  ['cost_usd', 'Cost'],
  ['chain', 'Chain'],
];
const STORED = 'tarsy.columns';
/** Hidden by default: the chain is a facet, and the cost says what tokens do. */
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
  /** Whether an incident is one row while nothing is filtered. */
  grouping: boolean;
  onGrouping: (next: boolean) => void;
}

/** Menu of the visible columns and of what the list is sorted by: on a phone the columns that sort are not there. */
export function ColumnMenu({ visible, onChange, sort, onSort, grouping, onGrouping }: Props): ReactElement {
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  return (
    <>
      <Tooltip title="Columns and sorting">
        <IconButton
          aria-label="Columns"
          aria-haspopup="menu"
          onClick={(event) => {
            setAnchor(event.currentTarget);
          }}
        >
          <Columns3 size={16} />
        </IconButton>
      </Tooltip>
      {anchor !== null && (
        <Menu
          anchorEl={anchor}
          open
          onClose={() => {
            setAnchor(null);
          }}
        >
          {OPTIONAL.map(([id, label]) => {
            const on = visible[id] !== false;
            return (
              <MenuItem
                key={id}
                role="menuitemcheckbox"
                aria-checked={on}
                dense
                onClick={() => {
                  onChange({ ...visible, [id]: !on });
                }}
              >
                <Box component="span" aria-hidden sx={{ width: '1.5em' }}>
                  {on && '✓'}
                </Box>
                {label}
              </MenuItem>
            );
          })}
          <Divider />
          <MenuItem
            role="menuitemcheckbox"
            aria-checked={grouping}
            dense
            onClick={() => {
              onGrouping(!grouping);
            }}
          >
            <Box component="span" aria-hidden sx={{ width: '1.5em' }}>
              {grouping && '✓'}
            </Box>
            One row per incident
          </MenuItem>
          <Divider />
          {SORTS.map(([by, , label]) => {
            const on = sort.by === by;
            return (
              <MenuItem
                key={by}
                role="menuitemradio"
                aria-checked={on}
                dense
                onClick={() => {
                  onSort(nextSorting(sort, by));
                }}
              >
                <Box component="span" aria-hidden sx={{ width: '1.5em' }}>
                  {on && (sort.ascending ? '↑' : '↓')}
                </Box>
                Sort by {label.toLowerCase()}
              </MenuItem>
            );
          })}
        </Menu>
      )}
    </>
  );
}
