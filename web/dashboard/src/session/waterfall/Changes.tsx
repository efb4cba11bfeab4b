import { Box, Link, Typography } from '@mui/material';
import { BARE_LIST, changeAge, changesNear, Faint, isPage, pluralize, shareOf, type NearChange } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { LABEL } from './BarLine';

/** Height of the lane (`LANE`) and half the width of a mark (`HALF`), in pixels. */
const LANE = 16;
const HALF = 4;

/** Mark of a change: a diamond if it is on the axis, else an arrow at the edge that it lies beyond. */
function Mark({ at }: { at: ReturnType<typeof shareOf> }): ReactElement {
  const x = typeof at === 'number' ? `${String(100 * at)}%` : at === 'before' ? '0%' : '100%';
  const shape = {
    before: `${String(HALF)},-${String(HALF)} 0,0 ${String(HALF)},${String(HALF)}`,
    after: `-${String(HALF)},-${String(HALF)} 0,0 -${String(HALF)},${String(HALF)}`,
    on: `0,-${String(HALF)} ${String(HALF)},0 0,${String(HALF)} -${String(HALF)},0`,
  }[typeof at === 'number' ? 'on' : at];
  return (
    <svg x={x} y={LANE / 2} overflow="visible" data-testid="change-mark" data-at={typeof at === 'number' ? 'on' : at}>
      <polygon points={shape} fill="var(--mui-palette-text-secondary)" />
    </svg>
  );
}

function Line({ change, alertUs }: { change: NearChange; alertUs: number }): ReactElement {
  const place = [change.service, change.namespace, change.cluster].filter((part) => part != null).join(' · ');
  return (
    <Box
      component="li"
      sx={{ display: 'flex', flexWrap: 'wrap', columnGap: 1, alignItems: 'baseline', pb: { xs: 0.75, sm: 0 } }}
    >
      <Faint sx={{ minWidth: { xs: '100%', sm: 170 } }}>{changeAge(change, alertUs)}</Faint>
      <Typography
        variant="caption"
        sx={{ overflowWrap: 'anywhere', minHeight: 24, display: 'inline-flex', alignItems: 'center' }}
      >
        {isPage(change.link) ? (
          <Link
            href={change.link}
            target="_blank"
            rel="noopener noreferrer nofollow"
            sx={{ minHeight: 24, display: 'inline-flex', alignItems: 'center' }}
          >
            {change.title}
          </Link>
        ) : (
          change.title
        )}
      </Typography>
      <Faint sx={{ overflowWrap: 'anywhere' }}>{[change.kind, place].filter((part) => part !== '').join(', ')}</Faint>
    </Box>
  );
}

/** Changes near the time of the alert, as marks on the axis and as a list. Renders nothing if it has none to show. */
export function Changes({
  sessionId,
  place,
  fromUs,
  spanUs,
}: {
  sessionId: string;
  /** Maps a time to its place on the axis, from which idle time may be cut out. */
  place: (us: number) => number;
  fromUs: number;
  spanUs: number;
}): ReactElement | null {
  const { data } = useQuery({
    queryKey: ['changes', sessionId],
    queryFn: async ({ signal }) => changesNear(sessionId, signal),
    retry: false,
  });
  if (data === undefined || data.changes.length === 0) return null;
  const marks = data.changes.map((change) => shareOf(place(change.happened_at_us), fromUs, spanUs));
  return (
    <Box component="section" aria-label="Changes near the alert" data-testid="changes">
      <Box sx={{ display: 'grid', gridTemplateColumns: `${LABEL} 1fr`, pr: { xs: 6, sm: 8 } }} aria-hidden>
        <span />
        <svg width="100%" height={LANE} style={{ overflow: 'visible', display: 'block' }}>
          {data.changes.map((change, at) => (
            <Mark key={change.change_id} at={marks[at] ?? 'before'} />
          ))}
        </svg>
      </Box>
      <Box component="details" sx={{ px: 2, pb: 1 }} open={data.changes.length <= 3}>
        <Faint component="summary" sx={{ cursor: 'pointer', minHeight: 24 }}>
          {pluralize(data.changes.length, 'change')} near the alert
        </Faint>
        <Box component="ul" sx={{ ...BARE_LIST }}>
          {data.changes.toReversed().map((change) => (
            <Line key={change.change_id} change={change} alertUs={data.alert_timestamp_us} />
          ))}
        </Box>
      </Box>
    </Box>
  );
}
