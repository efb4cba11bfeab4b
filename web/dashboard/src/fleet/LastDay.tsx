import { Box, Tooltip, Typography } from '@mui/material';
import {
  Faint,
  formatAbsolute,
  formatCount,
  formatDuration,
  metrics,
  pluralize,
  toneColor,
  useNow,
  usePrefs,
  type Metrics,
} from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { hourBars, listOf, type HourBar } from './day';
import { QueryResult, Section } from './Section';

const HOURS = 24;
const HEIGHT = 56;

function Bar({ bar, most, label }: { bar: HourBar; most: number; label: string }): ReactElement {
  const tall = bar.sessions === 0 ? 0 : Math.max(3, (HEIGHT * bar.sessions) / most);
  const failed = bar.sessions === 0 ? 0 : Math.max(bar.failed > 0 ? 2 : 0, (tall * bar.failed) / bar.sessions);
  const column = (
    <Box
      sx={{
        height: HEIGHT,
        display: 'flex',
        flexDirection: 'column',
        justifyContent: 'flex-end',
        borderBottom: 1,
        borderColor: 'divider',
        '&:hover': { bgcolor: 'action.hover' },
      }}
    >
      <span style={{ height: failed, background: toneColor.bad }} />
      <span style={{ height: tall - failed, background: toneColor.run }} />
    </Box>
  );
  return (
    <Tooltip title={label}>
      {bar.sessions === 0 ? (
        <span role="img" aria-label={label}>
          {column}
        </span>
      ) : (
        <Link to={listOf(bar)} aria-label={label}>
          {column}
        </Link>
      )}
    </Tooltip>
  );
}

function Figure({ name, children, color }: { name: string; children: ReactNode; color?: string }): ReactElement {
  return (
    <Box>
      <Faint component="div">{name}</Faint>
      <Typography component="div" sx={{ fontWeight: 650, fontVariantNumeric: 'tabular-nums', color }}>
        {children}
      </Typography>
    </Box>
  );
}

function Day({ day }: { day: Metrics }): ReactElement {
  const { zone } = usePrefs();
  const now = useNow(60_000);
  const bars = hourBars(day, now * 1000);
  const most = Math.max(0, ...bars.map((bar) => bar.sessions));
  const clock = (us: number): string => formatAbsolute(us, zone).slice(11, 16);
  const first = bars[0];
  return (
    <Box sx={{ px: 2, pb: 2, display: 'flex', gap: 3, flexWrap: 'wrap', alignItems: 'flex-end' }}>
      <Box sx={{ display: 'grid', gridTemplateColumns: 'repeat(3, max-content)', columnGap: 3, rowGap: 1 }}>
        <Figure name="sessions">{formatCount(day.total_sessions)}</Figure>
        <Figure name="failed" color={day.failed_sessions > 0 ? toneColor.bad : undefined}>
          {formatCount(day.failed_sessions)}
        </Figure>
        <Figure name="succeeded">
          {day.success_rate == null ? '–' : `${String(Math.floor(100 * day.success_rate))} %`}
        </Figure>
        <Figure name="running">{formatCount(day.active_sessions)}</Figure>
        <Figure name="avg duration">{formatDuration(day.average_duration_ms)}</Figure>
        <Figure name="duplicate alerts">{formatCount(day.duplicates)}</Figure>
      </Box>
      <Box sx={{ flex: 1, minWidth: 280 }}>
        <Box
          role="group"
          aria-label="Sessions by hour"
          sx={{ display: 'grid', gridTemplateColumns: `repeat(${String(bars.length)}, 1fr)`, columnGap: '2px' }}
        >
          {bars.map((bar) => (
            <Bar
              key={bar.fromUs}
              bar={bar}
              most={Math.max(1, most)}
              label={`${clock(bar.fromUs)} to ${clock(bar.toUs)}: ${pluralize(bar.sessions, 'session')}${bar.failed > 0 ? `, ${formatCount(bar.failed)} failed` : ''}`}
            />
          ))}
        </Box>
        <Box sx={{ display: 'flex', justifyContent: 'space-between' }}>
          <Faint>{first === undefined ? '' : clock(first.fromUs)}</Faint>
          <Faint>peak hour: {formatCount(most)}</Faint>
          <Faint>now</Faint>
        </Box>
      </Box>
    </Box>
  );
}

/** Sessions of the last day by hour and outcome. */
export function LastDay(): ReactElement {
  const list = useQuery({
    queryKey: ['metrics', HOURS],
    queryFn: async ({ signal }) => metrics(HOURS, signal),
    staleTime: 20_000,
    refetchInterval: 60_000,
  });
  return (
    <Section title="Last 24 hours" note="by start time; click an hour to list its sessions">
      <QueryResult list={list} what="metrics">
        {(day) => <Day day={day} />}
      </QueryResult>
    </Section>
  );
}
