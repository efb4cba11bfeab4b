import { Tooltip } from '@mui/material';
import { useEffect, useState, type ReactElement } from 'react';
import { usePrefs } from './prefs';
import { absolute, duration, isoMicros, relative } from './time';

/** Now, in milliseconds, told again every `everyMs`. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => { setNow(Date.now()); }, everyMs);
    return () => { clearInterval(timer); };
  }, [everyMs]);
  return now;
}

/** An instant, as chosen in the preferences; the whole of it on hover. */
export function Time({ us, always }: { us: number; always?: 'absolute' | 'relative' }): ReactElement {
  const { zone, times } = usePrefs();
  const now = useNow(5000);
  const text = (always ?? times) === 'relative' ? relative(us, now) : absolute(us, zone);
  return (
    <Tooltip title={isoMicros(us)}>
      <time dateTime={isoMicros(us)} style={{ whiteSpace: 'nowrap' }}>{text}</time>
    </Tooltip>
  );
}

/** How long something took, or takes. */
export function Lasting({ startUs, endUs }: { startUs: number; endUs?: number | null }): ReactElement {
  const now = useNow(endUs == null ? 1000 : 60_000);
  return <span style={{ whiteSpace: 'nowrap' }}>{duration(endUs == null ? Math.max(0, now - startUs / 1000) : (endUs - startUs) / 1000)}</span>;
}
