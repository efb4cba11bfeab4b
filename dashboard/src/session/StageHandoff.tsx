import { Box, Typography } from '@mui/material';
import { formatBytes, Code, stageHandoffs, pluralize, statusTone, toneColor, type Handoff, type SessionDetail } from '@tarsy/ui';
import { useState, type ReactElement } from 'react';

function Figure({ edge }: { edge: Handoff }): ReactElement {
  if (edge.text === null) return <>pending</>;
  if (edge.failed) return <>error</>;
  return <>{formatBytes(edge.bytes)}{edge.dataPoints > 0 ? `, ${pluralize(edge.dataPoints, 'data point')}` : ''}</>;
}

function NodeBox({ name, note, color, solid = true }: { name: string; note: string; color: string; solid?: boolean }): ReactElement {
  return (
    <Box sx={{ border: 2, borderStyle: solid ? 'solid' : 'dashed', borderColor: color, borderRadius: 1, px: 1.5, py: 1, bgcolor: 'background.paper', minWidth: 120, maxWidth: 220 }}>
      <Typography variant="h3" component="div" noWrap title={name}>{name}</Typography>
      <Typography variant="caption" color="text.secondary" noWrap component="div" title={note}>{note}</Typography>
    </Box>
  );
}

function Arrow({ edge, on, onPick }: { edge: Handoff; on: boolean; onPick: () => void }): ReactElement {
  const color = edge.text === null ? 'var(--mui-palette-divider)' : edge.failed ? toneColor.bad : on ? 'var(--mui-palette-primary-main)' : toneColor.rest;
  return (
    <Box
      component="button" type="button" onClick={onPick} aria-pressed={on} disabled={edge.text === null}
      sx={{ all: 'unset', boxSizing: 'border-box', cursor: edge.text === null ? 'default' : 'pointer', width: { xs: '100%', md: 150 }, flex: { md: '1 1 110px' }, maxWidth: 230, textAlign: 'center', px: 0.5, borderRadius: 1, boxShadow: on ? 'inset 0 0 0 1px var(--mui-palette-primary-main)' : 'none', '&:hover': { bgcolor: 'action.hover' }, '&:focus-visible': { outline: '2px solid', outlineColor: 'primary.main' } }}
    >
      <Typography variant="caption" component="div" color={edge.failed ? 'error' : 'text.secondary'}><span style={{ position: 'absolute', clipPath: 'inset(50%)', width: 1, height: 1, overflow: 'hidden' }}>{edge.from} to {edge.to}: </span><Figure edge={edge} /></Typography>
      <svg width="100%" height={14} aria-hidden preserveAspectRatio="none" style={{ overflow: 'visible', display: 'block' }}>
        <line x1="0" x2="100%" y1={7} y2={7} stroke={color} strokeWidth={edge.text === null ? 1 : Math.min(6, 1.5 + Math.log10(1 + edge.bytes))} strokeDasharray={edge.text === null ? '4 4' : undefined} />
      </svg>
      <svg width={10} height={12} aria-hidden style={{ display: 'block', marginLeft: 'auto', marginTop: -13 }}><path d="M0 0 L10 6 L0 12 z" fill={color} /></svg>
    </Box>
  );
}

/** Diagram of the data that each stage hands to the next. */
export default function StageHandoff({ session }: { session: SessionDetail }): ReactElement {
  const { nodes, edges } = stageHandoffs(session);
  const [picked, setPicked] = useState(() => Math.max(0, edges.findLastIndex((edge) => edge.text !== null && edge.to !== 'answer')));
  const edge = edges[picked];
  return (
    <Box sx={{ p: 2, display: 'grid', gap: 2 }} data-testid="handover">
      <Box sx={{ display: 'flex', alignItems: 'center', flexDirection: { xs: 'column', md: 'row' }, overflowX: 'auto', pb: 1 }}>
        <NodeBox name="alert" note={session.source} color="var(--mui-palette-divider)" />
        {nodes.map((node, index) => {
          const incoming = edges[index];
          return [
            incoming === undefined ? null : <Arrow key={`edge-${String(index)}`} edge={incoming} on={picked === index} onPick={() => { setPicked(index); }} />,
            <NodeBox key={`node-${String(index)}`} name={node.name} note={`${node.agent} · ${node.status}`} color={node.execution === null ? 'var(--mui-palette-divider)' : toneColor[statusTone(node.status).tone]} solid={node.execution !== null} />,
          ];
        })}
        {edges.at(-1) !== undefined && edges.length > 1 && <Arrow edge={edges[edges.length - 1] as Handoff} on={picked === edges.length - 1} onPick={() => { setPicked(edges.length - 1); }} />}
        <NodeBox name="answer" note={session.final_analysis == null ? 'none' : 'final analysis'} color={session.final_analysis == null ? 'var(--mui-palette-divider)' : toneColor.good} solid={session.final_analysis != null} />
      </Box>
      {edge?.text != null && (
        <Box>
          <Typography variant="h3" component="h3" sx={{ mb: 0.5 }}>{edge.from} → {edge.to}</Typography>
          <Code key={picked} text={edge.from === 'alert' ? JSON.stringify(session.alert_data, null, 2) : edge.text} what="stage output" lines={40} />
        </Box>
      )}
    </Box>
  );
}
