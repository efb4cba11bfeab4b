import { Box, FormControlLabel, MenuItem, Select, Switch, Typography, useMediaQuery } from '@mui/material';
import type { Theme } from '@mui/material/styles';
import {
  bars as barsOf,
  criticalPath,
  executionName,
  formatDuration,
  EmptyState,
  layout,
  readZoom,
  scaled,
  ticks,
  TipButton,
  toneColor,
  useNow,
  within,
  writeZoom,
  type SessionDetail,
  type Zoom,
} from '@tarsy/ui';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Maximize2, ZoomIn, ZoomOut } from 'lucide-react';
import { useEffect, useMemo, useRef, type ReactElement } from 'react';
import { useAddress } from '../../app/useAddress';
import { useShortcuts } from '../../keys/ShortcutsProvider';
import { Axis } from './Axis';
import { BarLine, LABEL, LABEL_WIDTH, ROW, TALL_ROW } from './BarLine';
import { Changes } from './Changes';
import { Legend, CriticalPathSummary } from './Legend';

/** Ends of a vertical line over the whole height, at a share of the width. */
const upright = (share: number) => {
  const x = `${String(100 * share)}%`;
  return { x1: x, x2: x, y1: 0, y2: '100%' };
};

/** Waterfall of stages, model calls and tool calls. */
export default function Waterfall({ session }: { session: SessionDetail }): ReactElement {
  const [params, change] = useAddress();
  const hideIdle = params.get('idle') !== 'show';
  const running = session.completed_at_us == null;
  const now = useNow(running ? 1000 : 3_600_000);
  // A single stage can fill the axis, so that its short calls can be distinguished.
  const only = session.stages.find((stage) => stage.execution_id === params.get('stage'))?.execution_id ?? '';
  const stages = useMemo(
    () => session.stages.filter((stage) => only === '' || stage.execution_id === only),
    [session.stages, only],
  );
  const whole = useMemo(
    () => layout(stages, now * 1000, hideIdle, session.stages),
    [stages, now, hideIdle, session.stages],
  );
  const path = useMemo(() => criticalPath(barsOf(stages, now * 1000)), [stages, now]);

  const spanMs = (whole.toUs - whole.fromUs) / 1000;
  const zoom = readZoom(params.get('zoom'), spanMs);
  const view = zoom ?? { fromMs: 0, toMs: spanMs };
  const look = (at: Zoom): void => {
    change({ zoom: writeZoom(at, spanMs) });
  };
  const zoomBy = (factor: number) => (): void => {
    look(scaled(view, factor, spanMs));
  };
  const reset = (): void => {
    change({ zoom: null });
  };
  useShortcuts('Waterfall', [
    { keys: '+', does: 'zoom in', run: zoomBy(0.5) },
    { keys: '-', does: 'zoom out', run: zoomBy(2) },
    { keys: '0', does: 'reset zoom', run: reset },
  ]);
  const fromUs = whole.fromUs + view.fromMs * 1000;
  const spanUs = (view.toMs - view.fromMs) * 1000;
  const bars = useMemo(() => within(whole.bars, fromUs, fromUs + spanUs), [whole, fromUs, spanUs]);

  const scroller = useRef<HTMLDivElement>(null);
  const row = useMediaQuery((theme: Theme) => theme.breakpoints.up('sm')) ? ROW : TALL_ROW;
  // eslint-disable-next-line react-hooks/incompatible-library -- its functions are called during this render only
  const virtual = useVirtualizer({
    count: bars.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => row,
    overscan: 20,
  });
  useEffect(() => {
    virtual.measure();
  }, [virtual, row]);
  if (whole.bars.length === 0)
    return <EmptyState title="No data yet">The waterfall appears when the first stage starts.</EmptyState>;
  const open = (id: string) => () => {
    change({ tab: null, event: id }, {});
  };
  const hidden = whole.gaps.reduce((sum, gap) => sum + gap.lostUs, 0);
  return (
    <Box sx={LABEL_WIDTH}>
      <Box sx={{ display: 'flex', columnGap: 2, rowGap: 0.5, px: 2, py: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <Legend />
        <Box sx={{ flex: 1 }} />
        <Box sx={{ display: 'flex' }}>
          <TipButton tip="Zoom in (+), or drag over the axis" label="Zoom in" onClick={zoomBy(0.5)}>
            <ZoomIn size={16} />
          </TipButton>
          <TipButton tip="Zoom out (-)" label="Zoom out" onClick={zoomBy(2)}>
            <ZoomOut size={16} />
          </TipButton>
          <TipButton tip="Reset zoom (0)" label="Reset zoom" onClick={reset}>
            <Maximize2 size={16} />
          </TipButton>
        </Box>
        <Select
          value={only}
          displayEmpty
          inputProps={{ 'aria-label': 'Stage' }}
          sx={{ minWidth: 160, fontSize: '0.8125rem' }}
          onChange={(event) => {
            change({ stage: event.target.value === '' ? null : event.target.value, zoom: null });
          }}
        >
          <MenuItem value="">Whole session</MenuItem>
          {session.stages.map((stage) => (
            <MenuItem key={stage.execution_id} value={stage.execution_id}>
              {stage.stage_index + 1}. {executionName(stage, session.stages)}
            </MenuItem>
          ))}
        </Select>
        <FormControlLabel
          sx={{ ml: -0.5, mr: 0 }}
          label={
            <Typography variant="caption">
              Hide idle time between stages{hidden > 0 ? ` (${formatDuration(hidden / 1000)} hidden)` : ''}
            </Typography>
          }
          control={
            <Switch
              size="small"
              checked={hideIdle}
              onChange={(_, on) => {
                change({ idle: on ? null : 'show', zoom: null });
              }}
            />
          }
        />
      </Box>
      <CriticalPathSummary path={path} />
      <Axis view={view} onZoom={look} onAll={reset} />
      <Changes sessionId={session.session_id} place={whole.place} fromUs={fromUs} spanUs={spanUs} />
      <Box
        ref={scroller}
        tabIndex={0}
        role="group"
        aria-label="Waterfall"
        data-testid="waterfall"
        sx={{ maxHeight: '70vh', overflow: 'auto', pr: { xs: 6, sm: 8 }, py: 0.5, position: 'relative' }}
      >
        <Box sx={{ position: 'relative' }} style={{ height: virtual.getTotalSize() }}>
          <Box
            component="svg"
            aria-hidden
            sx={{ position: 'absolute', left: LABEL, top: 0, width: `calc(100% - ${LABEL})`, height: '100%' }}
          >
            {ticks(spanUs, 6).map((ms) => (
              <line key={ms} {...upright((ms * 1000) / spanUs)} stroke="var(--mui-palette-divider)" />
            ))}
            {whole.gaps.map(({ atUs }) => (
              <line key={atUs} {...upright((atUs - fromUs) / spanUs)} stroke={toneColor.warn} strokeDasharray="2 3" />
            ))}
          </Box>
          {virtual.getVirtualItems().map((item) => {
            const bar = bars[item.index];
            return bar === undefined ? null : (
              <div
                key={item.key}
                style={{
                  position: 'absolute',
                  top: 0,
                  left: 0,
                  right: 0,
                  transform: `translateY(${String(item.start)}px)`,
                }}
              >
                <BarLine
                  bar={bar}
                  fromUs={fromUs}
                  spanUs={spanUs}
                  critical={path.ids.has(bar.id)}
                  onOpen={open(bar.id)}
                />
              </div>
            );
          })}
        </Box>
      </Box>
    </Box>
  );
}
