import {
  branches,
  sessionGraph,
  statusTone,
  toneColor,
  toneSurface,
  type ChainGraph,
  type GraphNode,
  type SessionDetail,
} from '@tarsy/ui';
import { useMemo, type ReactElement } from 'react';

const WIDTH = 176;
const HEIGHT = 50;
const GAP_X = 48;
const GAP_Y = 18;

const left = (node: GraphNode): number => node.column * (WIDTH + GAP_X);
const top = (node: GraphNode): number => node.row * (HEIGHT + GAP_Y);

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

function Node({ node }: { node: GraphNode }): ReactElement {
  const { tone, label } = statusTone(node.status);
  const idle = node.status === 'skipped' || node.status === 'not started';
  const note = [
    label,
    ...(node.join === null ? [] : [`after ${node.join}`]),
    ...(node.when === null ? [] : [`if ${node.when}`]),
  ].join(' · ');
  return (
    <g
      transform={`translate(${String(left(node))} ${String(top(node))})`}
      data-testid="graph-node"
      data-status={node.status}
    >
      <title>{`${node.name} (${node.agent}): ${note}`}</title>
      <rect
        width={WIDTH}
        height={HEIGHT}
        rx={6}
        fill={idle ? 'transparent' : toneSurface(tone)}
        stroke={toneColor[tone]}
        strokeDasharray={idle ? '4 3' : undefined}
      />
      <text
        x={10}
        y={20}
        fontSize={13}
        fontWeight={600}
        fill="currentColor"
        textDecoration={node.status === 'skipped' ? 'line-through' : undefined}
      >
        {cut(node.name, 22)}
      </text>
      <text x={10} y={38} fontSize={11} fill={toneColor[tone]}>
        {cut(note, 28)}
      </text>
    </g>
  );
}

function Edge({ from, to }: { from: GraphNode; to: GraphNode }): ReactElement {
  const [x1, y1, x2, y2] = [left(from) + WIDTH, top(from) + HEIGHT / 2, left(to), top(to) + HEIGHT / 2];
  const bend = Math.max(GAP_X / 2, (x2 - x1) / 2);
  const idle = from.status === 'skipped' || to.status === 'skipped';
  return (
    <path
      d={`M${String(x1)} ${String(y1)} C${String(x1 + bend)} ${String(y1)} ${String(x2 - bend)} ${String(y2)} ${String(x2)} ${String(y2)}`}
      fill="none"
      stroke="var(--mui-palette-text-secondary)"
      strokeWidth={1.5}
      strokeDasharray={idle ? '4 3' : undefined}
      markerEnd="url(#arrow)"
    />
  );
}

/** A chain as a graph, with needs, conditions and statuses. */
export function Graph({ graph }: { graph: ChainGraph }): ReactElement {
  const width = graph.columns * (WIDTH + GAP_X) - GAP_X + 2;
  const height = graph.rows * (HEIGHT + GAP_Y) - GAP_Y + 2;
  const told = graph.nodes.map((node) => `${node.name}: ${statusTone(node.status).label}`).join(', ');
  return (
    <div
      style={{ overflowX: 'auto', paddingBottom: 4, marginBottom: 10, minWidth: 0 }}
      tabIndex={0}
      role="group"
      aria-label="Chain"
    >
      <svg
        role="img"
        aria-label={told}
        data-testid="chain-graph"
        width={width}
        height={height}
        viewBox={`-1 -1 ${String(width)} ${String(height)}`}
        style={{ display: 'block' }}
      >
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX={7} refY={4} markerWidth={7} markerHeight={7} orient="auto">
            <path d="M0 0 8 4 0 8z" fill="var(--mui-palette-text-secondary)" />
          </marker>
        </defs>
        {graph.edges.map(({ from, to }) => {
          const [a, b] = [graph.nodes[from], graph.nodes[to]];
          return a === undefined || b === undefined ? null : (
            <Edge key={`${String(from)}-${String(to)}`} from={a} to={b} />
          );
        })}
        {graph.nodes.map((node) => (
          <Node key={node.index} node={node} />
        ))}
      </svg>
    </div>
  );
}

/** Graph of a session's chain that branches or has conditions. For a plain sequence, the cards of stages are enough. */
export function StageGraph({ session }: { session: SessionDetail }): ReactElement | null {
  const graph = useMemo(() => sessionGraph(session), [session]);
  return branches(graph) ? <Graph graph={graph} /> : null;
}
