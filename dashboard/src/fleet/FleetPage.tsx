import { Box, Typography } from '@mui/material';
import { formatCount, formatDuration, health, pluralize, queues, SYSTEM_CHANNEL, useLive, usePollMs, useTitle, workers } from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { useScrollAnchor } from '../session/scrollAnchor';
import { AuditLog } from './AuditLog';
import { DeadJobs } from './DeadJobs';
import { Deliveries } from './Deliveries';
import { LastDay } from './LastDay';
import { Queues } from './Queues';
import { Rejections } from './Rejections';
import { Upstreams } from './Upstreams';
import { Workers } from './Workers';

function Tile({ name, value, note, bad = false }: { name: string; value: ReactNode; note: ReactNode; bad?: boolean }): ReactElement {
  return (
    <Box sx={{ border: 1, borderColor: bad ? 'error.main' : 'divider', borderRadius: 1, bgcolor: 'background.paper', px: 2, py: 1.25 }}>
      <Typography variant="caption" color="text.secondary">{name}</Typography>
      <Typography component="div" sx={{ fontSize: '1.4rem', fontWeight: 650, lineHeight: 1.25, fontVariantNumeric: 'tabular-nums', color: bad ? 'error.main' : 'text.primary' }}>{value}</Typography>
      <Typography variant="caption" color="text.secondary">{note}</Typography>
    </Box>
  );
}

/** The last day, queues, workers, models and tools, the jobs that need a person, alerts that were rejected, who was told of ends, and who did what. */
export default function FleetPage(): ReactElement {
  const client = useQueryClient();
  const { hash, key } = useLocation();
  useTitle('Fleet');
  // Sections above the one that is pointed to grow when their answers come.
  useScrollAnchor(hash === '' ? null : `${hash} ${key}`, false, () => { document.getElementById(hash.slice(1))?.scrollIntoView({ block: 'start' }); });
  const every = Math.min(usePollMs(4000), 10_000);
  const state = useQuery({ queryKey: ['health'], queryFn: async ({ signal }) => health(signal), refetchInterval: every });
  const all = { refetchInterval: every } as const;
  const queueList = useQuery({ queryKey: ['queues'], queryFn: async ({ signal }) => queues(signal), ...all });
  const workerList = useQuery({ queryKey: ['workers'], queryFn: async ({ signal }) => workers(signal), ...all });
  useLive(SYSTEM_CHANNEL, () => { void client.invalidateQueries({ queryKey: ['health'] }); }, 2000);
  const changed = (): void => { void client.invalidateQueries(); };
  const queue = state.data?.services?.queue;
  const counted = Object.entries(queue?.workers ?? {});
  const processes = counted.reduce((sum, [, number]) => sum + number, 0);
  const oldest = queue?.oldest_ready_seconds ?? 0;
  return (
    <Box sx={{ px: { xs: 1.5, md: 3 }, py: 2, display: 'grid', gap: 2, width: '100%', maxWidth: 1560, mx: 'auto' }}>
      <Typography variant="h1">Fleet</Typography>
      <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: { xs: '1fr 1fr', sm: 'repeat(auto-fit, minmax(150px, 1fr))' }, '& > :last-child:nth-of-type(odd)': { gridColumn: { xs: 'span 2', sm: 'auto' } } }}>
        <Tile name="Service" value={state.data?.status ?? '…'} note={state.data?.version === undefined ? 'version unknown' : `version ${state.data.version}`} bad={state.data !== undefined && state.data.status !== 'healthy'} />
        <Tile name="Waiting" value={formatCount(queue?.ready)} note={oldest > 0 ? `oldest ${formatDuration(oldest * 1000)}` : 'queue empty'} bad={oldest > 60} />
        <Tile name="Running" value={formatCount(queue?.running)} note="jobs" />
        <Tile name="Worker processes" value={formatCount(processes)} note={counted.map(([role, number]) => `${String(number)} ${role}`).join(', ') || 'none'} bad={state.data !== undefined && processes === 0} />
        <Tile name="Dead jobs" value={formatCount(queue?.dead)} note={(queue?.dead ?? 0) === 0 ? 'none' : <Link to="#dead" style={{ color: 'inherit' }}>{pluralize(queue?.dead ?? 0, 'job')} below</Link>} bad={(queue?.dead ?? 0) > 0} />
      </Box>
      <LastDay />
      <Queues list={queueList} onChanged={changed} fallback={queue} />
      <Workers list={workerList} onChanged={changed} />
      <Upstreams />
      <DeadJobs every={every} onChanged={changed} />
      <Rejections every={every} onChanged={changed} />
      <Deliveries every={every} onChanged={changed} />
      <AuditLog />
    </Box>
  );
}
