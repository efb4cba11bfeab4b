import { Box, Tab, Tabs, Typography } from '@mui/material';
import {
  Faint,
  formatCount,
  health,
  pluralize,
  queues,
  SYSTEM_CHANNEL,
  useLive,
  usePollMs,
  usePrefs,
  useTitle,
  workers,
} from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactElement, type ReactNode } from 'react';
import { Link, useLocation, useSearchParams } from 'react-router-dom';
import { Page } from '../app/Page';
import { warnings } from '../app/warnings';
import { AuditLog } from './AuditLog';
import { DeadJobs } from './DeadJobs';
import { Deliveries } from './Deliveries';
import { useDeliveryGroups } from './DeliveryGroups';
import { LastDay } from './LastDay';
import { waitingNote } from './pools';
import { Queues } from './Queues';
import { Rejections } from './Rejections';
import { Sources } from './Sources';
import { FLEET_TABS, fleetTabTo, readFleetTab, type FleetTab } from './tabs';
import { Upstreams } from './Upstreams';
import { Workers } from './Workers';

function Tile({
  name,
  value,
  note,
  bad = false,
}: {
  name: string;
  value: ReactNode;
  note: ReactNode;
  bad?: boolean;
}): ReactElement {
  return (
    <Box
      sx={{
        border: 1,
        borderColor: bad ? 'error.main' : 'divider',
        borderRadius: 1,
        bgcolor: 'background.paper',
        px: 2,
        py: 1.25,
      }}
    >
      <Faint>{name}</Faint>
      <Typography
        component="div"
        sx={{
          fontSize: '1.4rem',
          fontWeight: 650,
          lineHeight: 1.25,
          fontVariantNumeric: 'tabular-nums',
          color: bad ? 'error.main' : 'text.primary',
        }}
      >
        {value}
      </Typography>
      <Faint>{note}</Faint>
    </Box>
  );
}

/** Label of a tab, with the number of items that need attention. */
const labelled = (label: string, number: number | undefined): string =>
  number === undefined || number === 0 ? label : `${label} (${formatCount(number)})`;

/** Fleet page: figures, then tabs for the overview, sources of tools, dead jobs, rejected alerts, notifications and the audit log. */
export default function FleetPage(): ReactElement {
  const client = useQueryClient();
  const { hash } = useLocation();
  const [params] = useSearchParams();
  const tab = readFleetTab(hash, params);
  const { zone } = usePrefs();
  useTitle('Fleet');
  // On a phone the tab may be beyond the edge.
  useEffect(() => {
    document.getElementById(`fleet-tab-${tab}`)?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [tab]);
  const every = Math.min(usePollMs(4000), 10_000);
  const state = useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => health(signal),
    refetchInterval: every,
  });
  const all = { refetchInterval: every } as const;
  const queueList = useQuery({ queryKey: ['queues'], queryFn: async ({ signal }) => queues(signal), ...all });
  const workerList = useQuery({ queryKey: ['workers'], queryFn: async ({ signal }) => workers(signal), ...all });
  useLive(
    SYSTEM_CHANNEL,
    () => {
      void client.invalidateQueries({ queryKey: ['health'] });
    },
    2000,
  );
  const changed = (): void => {
    void client.invalidateQueries();
  };
  const queue = state.data?.services?.queue;
  const counted = Object.entries(queue?.workers ?? {});
  const processes = counted.reduce((sum, [, number]) => sum + number, 0);
  const oldest = queue?.oldest_ready_seconds ?? 0;
  const [trouble] = state.data === undefined ? [] : warnings(state.data, queueList.data?.queues, zone);
  const undelivered = useDeliveryGroups(30_000).data ?? [];
  const counts: Partial<Record<FleetTab, number>> = {
    dead: queue?.dead ?? 0,
    notifications: undelivered
      .filter((group) => group.state === 'failed')
      .reduce((sum, group) => sum + group.number, 0),
  };
  return (
    <Page widest={1560}>
      <Typography variant="h1">Fleet</Typography>
      <Tabs
        value={tab}
        aria-label="Fleet"
        variant="scrollable"
        scrollButtons={false}
        sx={{ borderBottom: 1, borderColor: 'divider' }}
      >
        {FLEET_TABS.map(([name, label]) => (
          <Tab
            key={name}
            value={name}
            id={`fleet-tab-${name}`}
            aria-controls="fleet-panel"
            label={labelled(label, counts[name])}
            component={Link}
            to={fleetTabTo(name)}
            replace
          />
        ))}
      </Tabs>
      <Box
        id="fleet-panel"
        role="tabpanel"
        aria-labelledby={`fleet-tab-${tab}`}
        sx={{ display: 'grid', gap: 2, minWidth: 0 }}
      >
        {tab === 'overview' && (
          <>
            <Box
              sx={{
                display: 'grid',
                gap: 1.5,
                gridTemplateColumns: { xs: '1fr 1fr', sm: 'repeat(auto-fit, minmax(150px, 1fr))' },
                '& > :last-child:nth-of-type(odd)': { gridColumn: { xs: 'span 2', sm: 'auto' } },
              }}
            >
              <Tile
                name="Service"
                // The API's status does not count pools without workers.
                value={
                  (trouble?.severe === true && state.data?.status === 'healthy' ? null : state.data?.status) ??
                  (trouble === undefined ? '…' : 'degraded')
                }
                note={
                  trouble?.text ??
                  (state.data?.version === undefined ? 'version unknown' : `version ${state.data.version}`)
                }
                bad={trouble !== undefined}
              />
              <Tile
                name="Waiting"
                value={formatCount(queue?.ready)}
                note={waitingNote(oldest, queueList.data?.queues)}
                bad={oldest > 60}
              />
              <Tile name="Running" value={formatCount(queue?.running)} note={queue?.running === 1 ? 'job' : 'jobs'} />
              <Tile
                name="Worker processes"
                value={formatCount(processes)}
                note={counted.map(([role, number]) => `${String(number)} ${role}`).join(', ') || 'none'}
                bad={state.data !== undefined && processes === 0}
              />
              <Tile
                name="Dead jobs"
                value={formatCount(queue?.dead)}
                note={
                  (queue?.dead ?? 0) === 0 ? (
                    'none'
                  ) : (
                    <Link to="#dead" style={{ color: 'inherit' }}>
                      view {pluralize(queue?.dead ?? 0, 'job')}
                    </Link>
                  )
                }
                bad={(queue?.dead ?? 0) > 0}
              />
            </Box>
            <LastDay />
            <Queues list={queueList} onChanged={changed} fallback={queue} />
            <Workers list={workerList} onChanged={changed} />
            <Upstreams />
          </>
        )}
        {tab === 'sources' && <Sources />}
        {tab === 'dead' && <DeadJobs every={every} onChanged={changed} />}
        {tab === 'rejected' && <Rejections every={every} onChanged={changed} />}
        {tab === 'notifications' && <Deliveries every={every} onChanged={changed} />}
        {tab === 'audit' && <AuditLog />}
      </Box>
    </Page>
  );
}
