import { Box, Button, ButtonBase, Drawer } from '@mui/material';
import {
  facets,
  Faint,
  statusTone,
  TipButton,
  toneColor,
  useFilterOptions,
  verdictTone,
  usePrefs,
  type Facets as FacetCounts,
} from '@tarsy/ui';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Filter } from 'lucide-react';
import { useState, type ReactElement } from 'react';
import { useIsWide } from '../app/useIsWide';
import { WordBreaks } from '../app/WordBreaks';
import { PROGRESS } from './completion';
import { byNumber, toQuery, type Filters } from './filters';
import { whole } from './total';

interface Value {
  value: string;
  label: string;
  color?: string;
}
interface FacetProps {
  title: string;
  values: Value[];
  chosen: string[];
  counts: (value: string) => string | null;
  onToggle: (value: string) => void;
}

/** Refetch interval of counts, in milliseconds. With the API's cache of one second, counts are at most 5 s old. */
const FOLLOW_MS = 3000;
/** Number of values shown before "Show more". */
const SHORT = 7;

function Facet({ title, values, chosen, counts, onToggle }: FacetProps): ReactElement | null {
  const [all, setAll] = useState(false);
  if (values.length === 0) return null;
  const shown = all ? values : values.filter((one, index) => index < SHORT || chosen.includes(one.value));
  return (
    <Box component="section" aria-label={title} sx={{ mb: 1.5 }}>
      <Faint component="h2" sx={{ fontWeight: 600, px: 1 }}>
        {title}
      </Faint>
      {shown.map(({ value, label, color }) => {
        const on = chosen.includes(value);
        return (
          <ButtonBase
            key={value}
            onClick={() => {
              onToggle(value);
            }}
            aria-pressed={on}
            sx={{
              display: 'flex',
              width: '100%',
              justifyContent: 'flex-start',
              gap: 1,
              px: 1,
              minHeight: 24,
              borderRadius: 1,
              fontFamily: 'inherit',
              fontSize: '0.8125rem',
              textAlign: 'left',
              bgcolor: on ? 'action.selected' : 'transparent',
              fontWeight: on ? 600 : 400,
              '&:hover': { bgcolor: 'action.hover' },
            }}
          >
            {color !== undefined && (
              <span aria-hidden style={{ width: 8, height: 8, borderRadius: 4, background: color, flexShrink: 0 }} />
            )}
            {/* Not cut: names often differ at their end. */}
            <span style={{ flex: 1, minWidth: 0, overflowWrap: 'anywhere' }}>
              <WordBreaks name={label} />
            </span>
            <Faint sx={{ fontVariantNumeric: 'tabular-nums' }}>{counts(value) ?? ''}</Faint>
          </ButtonBase>
        );
      })}
      {values.length > SHORT && (
        <Button
          onClick={() => {
            setAll(!all);
          }}
          aria-expanded={all}
          sx={{ py: 0, px: 1 }}
        >
          {all ? 'Show less' : `Show ${String(values.length - SHORT)} more`}
        </Button>
      )}
    </Box>
  );
}

interface Counts {
  of: (facet: keyof FacetCounts, value: string) => string | null;
  ordered: (facet: keyof FacetCounts, known: readonly string[]) => string[];
}

/** Returns the count of each facet value under the other filters. */
function useCounts(filters: Filters, startUs: number | null): Counts {
  const { zone } = usePrefs();
  const query = toQuery(filters, startUs, zone);
  // An older API doesn't count all facets.
  const { data } = useQuery<Partial<FacetCounts>>({
    queryKey: ['facets', query],
    queryFn: async ({ signal }) => facets(query, signal),
    staleTime: 1000,
    refetchInterval: FOLLOW_MS,
    placeholderData: keepPreviousData,
  });
  return {
    of: (facet, value) => {
      if (data === undefined) return null;
      const { values, is_exact: exact } = data[facet] ?? NO_COUNTS;
      // If there are many sessions, only the newest are counted, so a count of 0 may be wrong and is not shown.
      const number = values[value] ?? 0;
      return exact ? whole(number) : number === 0 ? '' : `${whole(number)}+`;
    },
    ordered: (facet, known) => byNumber(known, data?.[facet]?.values ?? {}),
  };
}

const NO_COUNTS = { values: {} as Record<string, number>, is_exact: false };

const toggled = (list: readonly string[], value: string): string[] =>
  list.includes(value) ? list.filter((one) => one !== value) : [...list, value];

/** Facets in display order: filter, name in the API, title, member of the filter options with its values. */
const FACETS = [
  ['severity', 'severity', 'Severity', 'severities'],
  ['cluster', 'cluster', 'Cluster', 'clusters'],
  ['namespace', 'namespace', 'Namespace', 'namespaces'],
  ['alertType', 'alert_type', 'Alert type', 'alert_types'],
  ['outcome', 'outcome', 'Outcome', 'outcome_options'],
  ['verdict', 'verdict', 'Verdict', 'verdict_options'],
  ['label', 'label', 'Label', 'labels'],
  ['agent', 'agent', 'Agent', 'agents'],
  ['source', 'source', 'Source', 'sources'],
  ['environment', 'environment', 'Environment', 'environments'],
  ['assignee', 'assignee', 'Assignee', 'assignees'],
  ['rating', 'rating', 'Rating', 'rating_options'],
  ['chain', 'chain_id', 'Chain', 'chain_ids'],
] as const;

/** Filters with an open set of values. A chosen value is shown even if no session has it. */
const OPEN: ReadonlySet<string> = new Set([
  'cluster',
  'namespace',
  'agent',
  'source',
  'environment',
  'assignee',
  'rating',
]);

interface Props {
  filters: Filters;
  startUs: number | null;
  /** Number of matching sessions, as shown by the list. */
  total: string | null;
  onChange: (change: Partial<Filters>) => void;
}

/** All facets with their counts. */
function All({ filters, startUs, total, onChange }: Props): ReactElement {
  const { data } = useFilterOptions();
  // Progress of unfinished sessions first, then statuses of ended ones, in the same words as in the rows.
  const ended = (data?.status_options ?? ['completed', 'failed', 'cancelled']).filter(
    (status) => status !== 'pending' && status !== 'in_progress',
  );
  const facetOf = (value: string): 'progress' | 'status' => (PROGRESS.includes(value) ? 'progress' : 'status');
  const counts = useCounts(filters, startUs);
  // If a value is the only chosen one, its count must equal the number of the list.
  const count = (facet: keyof FacetCounts, chosen: readonly string[]) => (value: string) =>
    total !== null && chosen.length === 1 && chosen[0] === value ? total : counts.of(facet, value);
  const valuesOf = ([filter, facet, , options]: (typeof FACETS)[number]): Value[] => {
    const offered = data?.[options] ?? [];
    if (filter === 'outcome') return offered.map((value) => ({ value, label: value }));
    if (filter === 'verdict')
      return offered.map((value) => {
        const shown = verdictTone(value);
        return { value, label: shown?.label ?? 'not checked', color: toneColor[shown?.tone ?? 'rest'] };
      });
    const known = OPEN.has(filter) ? [...new Set([...offered, ...filters[filter]])] : offered;
    return counts.ordered(facet, known).map((value) => ({ value, label: value }));
  };
  return (
    <>
      <Facet
        title="Status"
        chosen={[...filters.progress, ...filters.status.filter((status) => ended.includes(status))]}
        counts={(value) => count(facetOf(value), filters[facetOf(value)])(value)}
        values={[...PROGRESS, ...ended].map((value) => {
          const { tone, label } = statusTone(value);
          // Only facet *Outcome* distinguishes completed and partial.
          return { value, label: value === 'completed' ? 'completed or partial' : label, color: toneColor[tone] };
        })}
        onToggle={(value) => {
          // No session matches both, so one facet replaces the other.
          onChange({ status: [], progress: [], [facetOf(value)]: toggled(filters[facetOf(value)], value) });
        }}
      />
      {FACETS.map((one) => {
        const [filter, facet, title] = one;
        return (
          <Facet
            key={filter}
            title={title}
            values={valuesOf(one)}
            chosen={filters[filter]}
            counts={count(facet, filters[filter])}
            onToggle={(value) => {
              onChange({ [filter]: toggled(filters[filter], value) });
            }}
          />
        );
      })}
    </>
  );
}

/** The filters at the side, on wide screens. */
export function Facets(props: Props): ReactElement | null {
  if (!useIsWide()) return null;
  return (
    <Box
      component="aside"
      aria-label="Filters"
      sx={{ width: 216, flexShrink: 0, py: 1.5, px: 1, overflowY: 'auto', borderRight: 1, borderColor: 'divider' }}
    >
      <All {...props} />
    </Box>
  );
}

/** Filters in a drawer, for narrow screens. */
export function FacetDrawer(props: Props): ReactElement | null {
  const [open, setOpen] = useState(false);
  if (useIsWide()) return null;
  const close = (): void => {
    setOpen(false);
  };
  return (
    <>
      <TipButton
        tip="Filters"
        aria-expanded={open}
        onClick={() => {
          setOpen(true);
        }}
      >
        <Filter size={16} />
      </TipButton>
      <Drawer
        anchor="left"
        open={open}
        onClose={close}
        slotProps={{ paper: { 'aria-label': 'Filters', sx: { width: 280, py: 1.5, px: 1 } } }}
      >
        <All {...props} />
        <Button variant="contained" onClick={close} sx={{ mx: 1, flexShrink: 0 }}>
          Show results
        </Button>
      </Drawer>
    </>
  );
}
