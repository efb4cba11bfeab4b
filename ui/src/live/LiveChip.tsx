import { Chip, Tooltip } from '@mui/material';
import { Radio, RefreshCw, Timer, WifiOff } from 'lucide-react';
import type { ReactElement } from 'react';
import { useNow } from '../prefs/Time';
import { toneColor, toneSurface, type Tone } from '../theme/tones';
import { useLiveState, useSocket } from './LiveProvider';
import { STALE_MS, type LiveState } from './state';

interface Told { label: string; tone: Tone; hint: string; icon: ReactElement }

/** The words of the chip for a state at a time. */
export function told(state: LiveState, nowMs: number): Told {
  const age = state.heardAt === null ? null : Math.max(0, Math.round((nowMs - state.heardAt) / 1000));
  switch (state.phase) {
    case 'live':
      if (age !== null && age * 1000 > STALE_MS) {
        return { label: `stale ${String(age)} s`, tone: 'warn', hint: 'Nothing was heard for a while; what you see may be old.', icon: <Timer size={13} /> };
      }
      return state.caughtUp > 0
        ? { label: `live, caught up ${String(state.caughtUp)}`, tone: 'good', hint: `Connected again; ${String(state.caughtUp)} events of the break were delivered late.`, icon: <Radio size={13} /> }
        : { label: 'live', tone: 'good', hint: 'Changes arrive as they happen.', icon: <Radio size={13} /> };
    case 'connecting':
      return { label: 'connecting', tone: 'rest', hint: 'The live socket is being opened.', icon: <RefreshCw size={13} /> };
    case 'reconnecting':
      return { label: `reconnecting${age === null ? '' : `, ${String(age)} s old`}`, tone: 'warn', hint: 'The connection broke. What was missed is fetched when it is back. Press to try now.', icon: <WifiOff size={13} /> };
    case 'polling':
      return { label: 'polling', tone: 'rest', hint: `${state.why ?? 'The live socket can’t be had.'} Press to try again.`, icon: <RefreshCw size={13} /> };
  }
}

/** Tells whether what is shown is live, reconnecting, stale or polled. */
export function LiveChip(): ReactElement {
  const state = useLiveState();
  const socket = useSocket();
  const { label, tone, hint, icon } = told(state, useNow(2000));
  return (
    <Tooltip title={hint}>
      <Chip
        label={<span role="status">{label}</span>}
        icon={icon}
        aria-label={`Connection: ${label}. ${hint}`}
        onClick={() => { socket.retry(); }}
        data-testid="live-chip"
        sx={{ color: toneColor[tone], bgcolor: toneSurface(tone), '& .MuiChip-icon': { color: 'inherit', ml: 0.75 } }}
      />
    </Tooltip>
  );
}
