import { Chip, Tooltip } from '@mui/material';
import { useQueryClient } from '@tanstack/react-query';
import { Hourglass, Radio, RefreshCw, Timer, WifiOff } from 'lucide-react';
import type { ReactElement } from 'react';
import { usePrefs } from '../prefs/prefs';
import { useNow } from '../prefs/Time';
import { formatTimeOfDay } from '../prefs/time';
import { toneColor, toneSurface } from '../theme/tones';
import { connectionStatus, type ConnectionStatus } from './connectionStatus';
import { lagMs } from './freshness';
import { useLiveState, useSocket } from './LiveProvider';

const ICONS: Record<ConnectionStatus['kind'], ReactElement> = {
  live: <Radio size={13} />,
  stale: <Timer size={13} />,
  delayed: <Hourglass size={13} />,
  connecting: <RefreshCw size={13} />,
  reconnecting: <WifiOff size={13} />,
  polling: <RefreshCw size={13} />,
};

/** Connection status: live, delayed, reconnecting, stale or polling. */
export function LiveChip(): ReactElement {
  const socket = useSocket();
  const now = useNow(1000);
  const { zone } = usePrefs();
  const clock = (ms: number): string => formatTimeOfDay(ms * 1000, zone);
  const lag = lagMs(useQueryClient(), now);
  // Rerenders when the label changes, not with each message.
  useLiveState((state) => connectionStatus(state, now, lag, clock).label);
  const { kind, label, tone, hint } = connectionStatus(socket.state, now, lag, clock);
  return (
    <Tooltip title={hint}>
      <Chip
        label={<span role="status">{label}</span>}
        icon={ICONS[kind]}
        aria-label={`Connection: ${label}. ${hint}`}
        onClick={() => {
          socket.retry();
        }}
        data-testid="live-chip"
        sx={{ color: toneColor[tone], bgcolor: toneSurface(tone), '& .MuiChip-icon': { color: 'inherit', ml: 0.75 } }}
      />
    </Tooltip>
  );
}
