import { Box, Button, ButtonBase, Drawer, IconButton, Tooltip, Typography } from '@mui/material';
import {
  facets,
  filterOptions,
  statusTone,
  toneColor,
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
import { byNumber, toQuery, type EQUAL, type Filters } from './filters';
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

/** Refetch interval of counts, milliseconds. With the API's cache of a second they are at most 5 s old. */
const FOLLOW_MS = 3000;
/** Values before "Show more". */
const SHORT = 7;

function Facet({ title, values, chosen, counts, onToggle }: FacetProps): ReactElement | null {
  const [all, setAll] = useState(false);
  if (values.length === 0) return null;
  const shown = all ? values : values.filter((one, index) => index < SHORT || chosen.includes(one.value));
  return (
    <Box component="section" aria-label={title} sx={{ mb: 1.5 }}>
      <Typography component="h2" variant="caption" color="text.secondary" sx={{ fontWeight: 600, px: 1 }}>
        {title}
      </Typography>
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
            <Typography
              component="span"
              variant="caption"
              color="text.secondary"
              sx={{ fontVariantNumeric: 'tabular-nums' }}
            >
              {counts(value) ?? ''}
            </Typography>
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
  ordered: (facet: keyof FacetCounts, known: readonly string[] | undefined) => string[];
}

/** Count of each facet value under the other filters. */
function useCounts(filters: Filters, startUs: number | null): Counts {
  const { zone } = usePrefs();
  const query = toQuery(filters, startUs, zone);
  // An older API doesn't count all.
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
      // Of many only the newest are counted: none of them is not none at all.
      const number = values[value] ?? 0;
      return exact ? whole(number) : number === 0 ? '' : `${whole(number)}+`;
    },
    ordered: (facet, known = []) => byNumber(known, data?.[facet]?.values ?? {}),
  };
}

const NO_COUNTS = { values: {} as Record<string, number>, is_exact: false };

const toggled = (list: readonly string[], value: string): string[] =>
  list.includes(value) ? list.filter((one) => one !== value) : [...list, value];

/** Where a problem is, which operators ask first, and the others: a filter, its title, and where its values are offered. */
const PLACES = [
  ['cluster', 'Cluster', 'clusters'],
  ['namespace', 'Namespace', 'namespaces'],
] as const;
const OTHERS = [
  ['agent', 'Agent', 'agents'],
  ['source', 'Source', 'sources'],
  ['environment', 'Environment', 'environments'],
  ['assignee', 'Assignee', 'assignees'],
  ['rating', 'Rating', 'rating_options'],
] as const;

/** Offered values, and the selected ones that are not among them. */
const known = (offered: readonly string[] | undefined, chosen: readonly string[]): string[] => [
  ...new Set([...(offered ?? []), ...chosen]),
];

interface Props {
  filters: Filters;
  startUs: number | null;
  /** Number of sessions that match, as the list says it. */
  total: string | null;
  onChange: (change: Partial<Filters>) => void;
}

/** All facets with their counts. */
function All({ filters, startUs, total, onChange }: Props): ReactElement {
  const { data } = useQuery({
    queryKey: ['filter-options'],
    queryFn: async ({ signal }) => filterOptions(signal),
    staleTime: 60_000,
  });
  // How far those are that have not ended, then how the others ended: the words of the rows.
  const ended = (data?.status_options ?? ['completed', 'failed', 'cancelled']).filter(
    (status) => status !== 'pending' && status !== 'in_progress',
  );
  const facetOf = (value: string): 'progress' | 'status' => (PROGRESS.includes(value) ? 'progress' : 'status');
  const counted = useCounts(filters, startUs);
  // What is chosen alone is the list itself: both say the same number.
  const chosen: Partial<Record<keyof FacetCounts, string[]>> = {
    status: filters.status,
    progress: filters.progress,
    outcome: filters.outcome,
    verdict: filters.verdict,
    label: filters.label,
    severity: filters.severity,
    alert_type: filters.alertType,
    chain_id: filters.chain,
    cluster: filters.cluster,
    namespace: filters.namespace,
    agent: filters.agent,
    source: filters.source,
    environment: filters.environment,
    assignee: filters.assignee,
    rating: filters.rating,
  };
  const counts: Counts = {
    ...counted,
    of: (facet, value) => {
      const only = chosen[facet]?.length === 1 ? chosen[facet][0] : null;
      return total !== null && only === value ? total : counted.of(facet, value);
    },
  };
  const plain = (facet: keyof FacetCounts, known: readonly string[] | undefined): Value[] =>
    counts.ordered(facet, known).map((value) => ({ value, label: value }));
  const toggle = (name: (typeof EQUAL)[number][0] | 'status', value: string): void => {
    onChange({ [name]: toggled(filters[name], value) });
  };
  const offered = (all: typeof PLACES | typeof OTHERS): ReactElement[] =>
    all.map(([name, title, options]) => (
      <Facet
        key={name}
        title={title}
        values={plain(name, known(data?.[options], filters[name]))}
        chosen={filters[name]}
        counts={(value) => counts.of(name, value)}
        onToggle={(value) => {
          toggle(name, value);
        }}
      />
    ));
  return (
    <>
      <Facet
        title="Status"
        chosen={[...filters.progress, ...filters.status.filter((status) => ended.includes(status))]}
        counts={(value) => counts.of(facetOf(value), value)}
        values={[...PROGRESS, ...ended].map((value) => {
          const { tone, label } = statusTone(value);
          // Facet *Outcome* tells them apart.
          return { value, label: value === 'completed' ? 'completed or partial' : label, color: toneColor[tone] };
        })}
        onToggle={(value) => {
          // No session is in both.
          onChange({ status: [], progress: [], [facetOf(value)]: toggled(filters[facetOf(value)], value) });
        }}
      />
      <Facet
        title="Severity"
        values={plain('severity', data?.severities)}
        chosen={filters.severity}
        counts={(value) => counts.of('severity', value)}
        onToggle={(value) => {
          toggle('severity', value);
        }}
      />
      {offered(PLACES)}
      <Facet
        title="Alert type"
        values={plain('alert_type', data?.alert_types)}
        chosen={filters.alertType}
        counts={(value) => counts.of('alert_type', value)}
        onToggle={(value) => {
          toggle('alertType', value);
        }}
      />
      <Facet
        title="Outcome"
        values={(data?.outcome_options ?? []).map((value) => ({ value, label: value }))}
        chosen={filters.outcome}
        counts={(value) => counts.of('outcome', value)}
        onToggle={(value) => {
          toggle('outcome', value);
        }}
      />
      <Facet
        title="Verdict"
        chosen={filters.verdict}
        counts={(value) => counts.of('verdict', value)}
        values={(data?.verdict_options ?? []).map((value) => {
          const shown = verdictTone(value);
          return { value, label: shown?.label ?? 'not checked', color: toneColor[shown?.tone ?? 'rest'] };
        })}
        onToggle={(value) => {
          toggle('verdict', value);
        }}
      />
      <Facet
        title="Label"
        values={plain('label', data?.labels)}
        chosen={filters.label}
        counts={(value) => counts.of('label', value)}
        onToggle={(value) => {
          toggle('label', value);
        }}
      />
      {offered(OTHERS)}
      <Facet
        title="Chain"
        values={plain('chain_id', data?.chain_ids)}
        chosen={filters.chain}
        counts={(value) => counts.of('chain_id', value)}
        onToggle={(value) => {
          toggle('chain', value);
        }}
      />
    </>
  );
}

/** The filters at the side, where there is room. */
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
      <Tooltip title="Filters">
        <IconButton
          aria-label="Filters"
          aria-expanded={open}
          onClick={() => {
            setOpen(true);
          }}
        >
          <Filter size={16} />
        </IconButton>
      </Tooltip>
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
