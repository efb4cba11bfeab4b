import { Box, Chip, MenuItem, Select, TextField, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material';
import { statusTone, toInputValue, parseInputValue, useMe, usePrefs } from '@tarsy/ui';
import { useCallback, type ReactElement, type RefObject } from 'react';
import { EQUAL, FLAGS, type Filters } from './filters';
import { RANGES } from './range';
import { SearchField } from './SearchField';
import { totalLabel, type Total } from './total';

interface Props {
  filters: Filters;
  total: Total | null;
  /** Number of loaded sessions. */
  loaded: number;
  onChange: (change: Partial<Filters>) => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

type View = Pick<Filters, 'status' | 'acknowledged' | 'reviewed'> & Partial<Pick<Filters, 'assignee'>>;
const ALL: View = { status: [], acknowledged: null, reviewed: null };
const VIEWS: readonly [string, string, View][] = [
  ['all', 'All', ALL],
  ['active', 'Active', { ...ALL, status: ['pending', 'in_progress'] }],
  ['failed', 'Failed', { ...ALL, status: ['failed'] }],
  // Ended sessions that no user has acknowledged or reviewed.
  ['unacknowledged', 'Unacknowledged', { ...ALL, status: ['completed', 'failed'], acknowledged: false }],
  ['unreviewed', 'Unreviewed', { ...ALL, status: ['completed', 'failed'], reviewed: false }],
];

/** Flags that a view sets. They get no separate chip. */
const OF_VIEWS: ReadonlySet<string> = new Set(['acknowledged', 'reviewed']);

/** View of the sessions assigned to the user. Exists only if the user has a name. */
const MINE = 'mine';
const mineOf = (me: string): View => ({ ...ALL, assignee: [me] });

/** Returns the view that matches the filters, or null. */
export const viewOf = ({ status, acknowledged, reviewed, assignee }: View, me: string | null = null): string | null =>
  me !== null &&
  assignee?.length === 1 &&
  assignee[0] === me &&
  status.length === 0 &&
  acknowledged === null &&
  reviewed === null
    ? MINE
    : (VIEWS.find(
        ([, , view]) =>
          view.acknowledged === acknowledged &&
          view.reviewed === reviewed &&
          view.status.length === status.length &&
          view.status.every((one) => status.includes(one)),
      )?.[0] ?? null);

/** View, search, time range and active filters. */
export function Toolbar({ filters, total, loaded, onChange, searchRef }: Props): ReactElement {
  const who = useMe().data;
  const me = who == null || who.auth === 'off' ? null : who.name;
  const view = viewOf(filters, me);
  // Leaving the view of the user's sessions removes its assignee.
  const show = (id: string | null): void => {
    onChange({
      progress: [],
      ...(view === MINE ? { assignee: [] } : {}),
      ...(id === MINE && me !== null ? mineOf(me) : (VIEWS.find(([name]) => name === id)?.[2] ?? ALL)),
    });
  };
  const { zone } = usePrefs();
  const search = useCallback(
    (text: string) => {
      onChange({ search: text });
    },
    [onChange],
  );
  const chips: [string, () => void][] = [
    ...(view === null && filters.status.length > 0
      ? [
          [
            `status: ${filters.status.map((status) => statusTone(status).label).join(' or ')}`,
            () => {
              onChange({ status: [] });
            },
          ] satisfies [string, () => void],
        ]
      : []),
    ...FLAGS.filter(([name]) => filters[name] !== null && !(view !== null && OF_VIEWS.has(name))).map(
      ([name, yes, no]): [string, () => void] => [
        filters[name] === true ? yes : no,
        () => {
          onChange({ [name]: null });
        },
      ],
    ),
    ...EQUAL.flatMap(([key, , , label]): [string, () => void][] => {
      const values = filters[key];
      return values.length === 0 || (view === MINE && key === 'assignee')
        ? []
        : [
            [
              `${label}: ${values.map((value) => (key === 'progress' ? statusTone(value).label : key === 'incident' ? value.slice(-6) : value)).join(' or ')}`,
              () => {
                onChange({ [key]: [] });
              },
            ],
          ];
    }),
  ];
  return (
    <Box
      sx={{
        display: 'flex',
        gap: 1,
        px: { xs: 1, md: 2 },
        py: 1,
        alignItems: 'center',
        flexWrap: 'wrap',
        minWidth: 0,
        borderBottom: 1,
        borderColor: 'divider',
      }}
    >
      <ToggleButtonGroup
        exclusive
        size="small"
        value={view}
        aria-label="View"
        sx={{ maxWidth: '100%', overflowX: 'auto' }}
        onChange={(_, next: string | null) => {
          show(next);
        }}
      >
        {[...VIEWS.map(([id, label]) => [id, label] as const), ...(me === null ? [] : [[MINE, 'Mine'] as const])].map(
          ([id, label]) => (
            <ToggleButton key={id} value={id} sx={{ py: 0.5, px: { xs: 0.75, md: 1.5 }, textTransform: 'none' }}>
              {label}
            </ToggleButton>
          ),
        )}
      </ToggleButtonGroup>
      <SearchField value={filters.search} onChange={search} searchRef={searchRef} />
      <Select
        value={filters.range}
        onChange={(event) => {
          onChange({ range: event.target.value });
        }}
        inputProps={{ 'aria-label': 'Started within' }}
        sx={{ minWidth: 110 }}
      >
        {RANGES.map(([value, label]) => (
          <MenuItem key={value} value={value}>
            {label}
          </MenuItem>
        ))}
      </Select>
      {filters.range === 'custom' && (
        <>
          <TextField
            type="datetime-local"
            label={`From (${zone === 'utc' ? 'UTC' : 'local'})`}
            value={toInputValue(filters.fromUs, zone)}
            onChange={(event) => {
              onChange({ fromUs: parseInputValue(event.target.value, zone) });
            }}
            slotProps={{ inputLabel: { shrink: true } }}
          />
          <TextField
            type="datetime-local"
            label={`To (${zone === 'utc' ? 'UTC' : 'local'})`}
            value={toInputValue(filters.toUs, zone)}
            onChange={(event) => {
              onChange({ toUs: parseInputValue(event.target.value, zone) });
            }}
            slotProps={{ inputLabel: { shrink: true } }}
          />
        </>
      )}
      <Typography variant="body2" color="text.secondary" role="status" data-testid="total">
        {total === null ? '' : `${totalLabel(total, loaded)} session${total.exact && total.number === 1 ? '' : 's'}`}
      </Typography>
      {chips.length > 0 && (
        // On a separate line, so that the search field keeps its width.
        <Box sx={{ flex: '1 1 100%', display: 'flex', gap: 1, flexWrap: 'wrap' }}>
          {chips.map(([label, remove]) => (
            <Chip key={label} label={label} onDelete={remove} variant="outlined" />
          ))}
        </Box>
      )}
    </Box>
  );
}
