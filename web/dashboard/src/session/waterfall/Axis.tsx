import { Box } from '@mui/material';
import { formatDuration, ticks, toneSurface, type Zoom } from '@tarsy/ui';
import { useRef, useState, type PointerEvent, type ReactElement } from 'react';
import { LABEL } from './BarLine';

/** Minimum length of a drag, in pixels; shorter ones are clicks. */
const LEAST_PX = 4;

/** Time axis of the waterfall. Drag to zoom, double-click to reset. */
export function Axis({
  view,
  onZoom,
  onAll,
}: {
  view: Zoom;
  onZoom: (zoom: Zoom) => void;
  onAll: () => void;
}): ReactElement {
  const strip = useRef<HTMLDivElement>(null);
  // Start and end of the drag, as shares of the strip from 0 to 1.
  const [drawn, setDrawn] = useState<[number, number] | null>(null);
  const length = view.toMs - view.fromMs;
  const share = (event: PointerEvent): number => {
    const box = strip.current?.getBoundingClientRect();
    return box === undefined ? 0 : Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  };
  const end = (event: PointerEvent): void => {
    if (drawn === null) return;
    const [from, to] = [Math.min(drawn[0], share(event)), Math.max(drawn[0], share(event))];
    setDrawn(null);
    if ((to - from) * (strip.current?.offsetWidth ?? 0) < LEAST_PX) return;
    onZoom({ fromMs: view.fromMs + from * length, toMs: view.fromMs + to * length });
  };
  return (
    <Box
      sx={{
        display: 'grid',
        gridTemplateColumns: `${LABEL} 1fr`,
        pr: { xs: 6, sm: 8 },
        borderBottom: 1,
        borderColor: 'divider',
      }}
    >
      <span />
      <Box
        ref={strip}
        data-testid="axis"
        title="Drag to zoom, double-click to reset"
        sx={{ position: 'relative', cursor: 'ew-resize', touchAction: 'none', userSelect: 'none' }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawn([share(event), share(event)]);
        }}
        onPointerMove={(event) => {
          if (drawn !== null) setDrawn([drawn[0], share(event)]);
        }}
        onPointerUp={end}
        onPointerCancel={() => {
          setDrawn(null);
        }}
        onDoubleClick={onAll}
      >
        <svg width="100%" height={24} style={{ overflow: 'visible', display: 'block' }} aria-hidden>
          {ticks(length * 1000, 6).map((ms) => (
            <text
              key={ms}
              x={`${String((100 * ms) / length)}%`}
              y={16}
              fontSize={11}
              fill="var(--mui-palette-text-secondary)"
            >
              {formatDuration(view.fromMs + ms)}
            </text>
          ))}
        </svg>
        {drawn !== null && (
          <Box
            sx={{ position: 'absolute', top: 0, bottom: 0, bgcolor: toneSurface('run', 30), pointerEvents: 'none' }}
            style={{
              left: `${String(100 * Math.min(...drawn))}%`,
              width: `${String(100 * Math.abs(drawn[1] - drawn[0]))}%`,
            }}
          />
        )}
      </Box>
    </Box>
  );
}
