import { Box, FormControlLabel, MenuItem, Select, Switch, Tooltip, Typography } from '@mui/material';
import { duration, Empty, layout, ticks, toneColor, useNow, type Bar, type SessionDetail } from '@tarsy/ui';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, type ReactElement } from 'react';
import { useSearchParams } from 'react-router-dom';

const ROW = 22;
const LABEL = 250;

function BarLine({ bar, fromUs, spanUs, onOpen }: { bar: Bar; fromUs: number; spanUs: number; onOpen: () => void }): ReactElement {
  const x = (100 * (bar.startUs - fromUs)) / spanUs;
  const width = Math.max(0.15, (100 * (bar.endUs - bar.startUs)) / spanUs);
  const took = duration((bar.endUs - bar.startUs) / 1000);
  const stage = bar.kind === 'stage';
  // A label beside the bar, on the side where there is room.
  const left = x + width > 85;
  return (
    <Box
      component="button" type="button" onClick={onOpen}
      sx={{ all: 'unset', boxSizing: 'border-box', display: 'grid', gridTemplateColumns: `${String(LABEL)}px 1fr`, height: ROW, width: '100%', alignItems: 'center', cursor: 'pointer', '&:hover': { bgcolor: 'action.hover' }, '&:focus-visible': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -2 } }}
    >
      <Typography component="span" variant="caption" noWrap sx={{ pl: stage ? 2 : 3.5, pr: 1, fontWeight: stage ? 600 : 400, color: stage ? 'text.primary' : 'text.secondary' }}>{bar.label}</Typography>
      <svg width="100%" height={ROW} style={{ overflow: 'visible' }}>
        <rect x={`${String(x)}%`} y={stage ? 7 : 5} width={`${String(width)}%`} height={stage ? 8 : 12} rx={2} fill={bar.kind === 'llm' && bar.tone === 'good' ? toneColor.run : toneColor[bar.tone]} opacity={stage ? 0.35 : bar.kind === 'mcp' ? 0.95 : 0.8} strokeDasharray={bar.running ? '4 3' : undefined} stroke={bar.running ? toneColor.run : 'none'} />
        <text x={`${String(left ? x : x + width)}%`} dx={left ? -6 : 6} textAnchor={left ? 'end' : 'start'} y={15} fontSize={11} fill="var(--mui-palette-text-secondary)">{took}</text>
      </svg>
    </Box>
  );
}

/** Stages, and the model and tool calls inside them, on one axis of time. */
export default function Waterfall({ session }: { session: SessionDetail }): ReactElement {
  const [params, setParams] = useSearchParams();
  const hideIdle = params.get('idle') !== 'show';
  const running = session.completed_at_us == null;
  const now = useNow(running ? 1000 : 3_600_000);
  // One stage alone fills the axis: its short calls are told apart.
  const only = session.stages.find((stage) => stage.execution_id === params.get('stage'))?.execution_id ?? '';
  const { bars, fromUs, toUs, gaps } = useMemo(
    () => layout(session.stages.filter((stage) => only === '' || stage.execution_id === only), now * 1000, hideIdle), [session.stages, only, now, hideIdle],
  );
  const scroller = useRef<HTMLDivElement>(null);
  // eslint-disable-next-line react-hooks/incompatible-library -- its functions are called during this render only
  const virtual = useVirtualizer({ count: bars.length, getScrollElement: () => scroller.current, estimateSize: () => ROW, overscan: 20 });
  if (bars.length === 0) return <Empty title="Nothing ran yet">Bars appear as soon as the first stage begins.</Empty>;
  const spanUs = toUs - fromUs;
  const open = (id: string) => () => { setParams((was) => { const next = new URLSearchParams(was); next.delete('tab'); next.set('event', id); return next; }); };
  return (
    <Box sx={{ p: 0 }}>
      <Box sx={{ display: 'flex', gap: 2, px: 2, py: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        {([['stage', toneColor.good, 0.35], ['model call', toneColor.run, 0.8], ['tool call', toneColor.good, 0.95], ['failed', toneColor.bad, 0.9]] as const).map(([name, color, opacity]) => (
          <Box key={name} sx={{ display: 'flex', gap: 0.75, alignItems: 'center' }}>
            <svg width={14} height={10} aria-hidden><rect width={14} height={10} rx={2} fill={color} opacity={opacity} /></svg>
            <Typography variant="caption" color="text.secondary">{name}</Typography>
          </Box>
        ))}
        <Box sx={{ flex: 1 }} />
        <Select
          value={only} displayEmpty inputProps={{ 'aria-label': 'Part of the session' }} sx={{ minWidth: 160, fontSize: '0.8125rem' }}
          onChange={(event) => { setParams((was) => { const next = new URLSearchParams(was); if (event.target.value === '') next.delete('stage'); else next.set('stage', event.target.value); return next; }, { replace: true }); }}
        >
          <MenuItem value="">Whole session</MenuItem>
          {session.stages.map((stage) => <MenuItem key={stage.execution_id} value={stage.execution_id}>{stage.stage_index + 1}. {stage.stage_name}{stage.attempt > 1 ? ` (attempt ${String(stage.attempt)})` : ''}</MenuItem>)}
        </Select>
        <FormControlLabel
          label={<Typography variant="caption">Hide waits between stages{gaps.length > 0 ? ` (${duration(gaps.reduce((sum, gap) => sum + gap.lostUs, 0) / 1000)} hidden)` : ''}</Typography>}
          control={<Switch size="small" checked={hideIdle} onChange={(_, on) => { setParams((was) => { const next = new URLSearchParams(was); if (on) next.delete('idle'); else next.set('idle', 'show'); return next; }, { replace: true }); }} />}
        />
      </Box>
      <Box sx={{ display: 'grid', gridTemplateColumns: `${String(LABEL)}px 1fr`, px: 0, pr: 8, borderBottom: 1, borderColor: 'divider' }}>
        <span />
        <svg width="100%" height={20} style={{ overflow: 'visible' }} aria-hidden>
          {ticks(spanUs, 6).map((ms) => <text key={ms} x={`${String((100 * ms * 1000) / spanUs)}%`} y={14} fontSize={11} fill="var(--mui-palette-text-secondary)">{duration(ms)}</text>)}
        </svg>
      </Box>
      <Box ref={scroller} tabIndex={0} role="group" aria-label="Waterfall" data-testid="waterfall" sx={{ maxHeight: '70vh', overflow: 'auto', pr: 8, py: 0.5, position: 'relative' }}>
        <Box sx={{ position: 'relative' }} style={{ height: virtual.getTotalSize() }}>
          <Box component="svg" aria-hidden sx={{ position: 'absolute', left: LABEL, top: 0, width: `calc(100% - ${String(LABEL)}px)`, height: '100%', overflow: 'visible' }}>
            {ticks(spanUs, 6).map((ms) => <line key={ms} x1={`${String((100 * ms * 1000) / spanUs)}%`} x2={`${String((100 * ms * 1000) / spanUs)}%`} y1={0} y2="100%" stroke="var(--mui-palette-divider)" />)}
            {gaps.map((gap) => <line key={gap.atUs} x1={`${String((100 * (gap.atUs - fromUs)) / spanUs)}%`} x2={`${String((100 * (gap.atUs - fromUs)) / spanUs)}%`} y1={0} y2="100%" stroke={toneColor.warn} strokeDasharray="2 3" />)}
          </Box>
          {virtual.getVirtualItems().map((item) => {
            const bar = bars[item.index];
            return bar === undefined ? null : (
              <Box key={item.key} sx={{ position: 'absolute', top: 0, left: 0, right: 0, transform: `translateY(${String(item.start)}px)` }}>
                <Tooltip describeChild title={`${bar.label}: ${duration((bar.endUs - bar.startUs) / 1000)}, begins after ${duration((bar.startUs - fromUs) / 1000)}`} placement="top-start" followCursor>
                  <span><BarLine bar={bar} fromUs={fromUs} spanUs={spanUs} onOpen={open(bar.id)} /></span>
                </Tooltip>
              </Box>
            );
          })}
        </Box>
      </Box>
    </Box>
  );
}
