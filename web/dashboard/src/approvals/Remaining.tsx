import { formatDuration, Time, useNow } from '@tarsy/ui';
import type { ReactElement } from 'react';

/** Below this time a countdown shows seconds, above it minutes. In milliseconds. */
const SOON_MS = 600_000;

/** Text of the remaining time, in seconds when little is left. */
function left(us: number, nowMs: number): string {
  const ms = us / 1000 - nowMs;
  if (ms <= 0) return 'expired';
  return `expires in ${formatDuration(ms < SOON_MS ? Math.ceil(ms / 1000) * 1000 : Math.ceil(ms / 60_000) * 60_000)}`;
}

/** Countdown to the expiry of an approval. */
export function Remaining({ us }: { us: number }): ReactElement {
  const now = useNow(1000);
  return (
    <span data-testid="remaining" style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {left(us, now)} (<Time us={us} always="absolute" />)
    </span>
  );
}
