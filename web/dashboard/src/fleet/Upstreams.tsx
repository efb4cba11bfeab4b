import { Box, TableCell, TableRow, Typography } from '@mui/material';
import {
  clamped,
  Faint,
  formatCount,
  formatDuration,
  EmptyState,
  Time,
  ToneChip,
  toneColor,
  useUpstreams,
  type CallFigures,
  type LlmProvider,
  type McpServer,
} from '@tarsy/ui';
import type { ReactElement, ReactNode } from 'react';
import { QueryResult, Section, SmallTable } from './Section';
import { sortByStatus, BUILT_IN_SERVERS, providerStatus, serverStatus, type HealthStatus } from './upstreams';

const COLUMNS = [
  ['Calls', 'right'],
  ['Failed', 'right'],
  ['p50', 'right'],
  ['p95', 'right'],
  'Last call',
  'Last error',
] as const;

/** Call metrics of a provider or server. */
function Figures({ calls, standing }: { calls: CallFigures | null | undefined; standing: HealthStatus }): ReactElement {
  const failed = calls?.failed ?? 0;
  const share = Math.round((100 * failed) / Math.max(1, calls?.calls ?? 0));
  return (
    <>
      <TableCell align="right">{formatCount(calls?.calls ?? 0)}</TableCell>
      <TableCell align="right" sx={{ color: failed > 0 ? toneColor.bad : undefined, whiteSpace: 'nowrap' }}>
        {formatCount(failed)}
        {failed > 0 ? ` (${String(share)} %)` : ''}
      </TableCell>
      <TableCell align="right" sx={{ whiteSpace: 'nowrap' }}>
        {formatDuration(calls?.p50_ms)}
      </TableCell>
      <TableCell align="right" sx={{ whiteSpace: 'nowrap' }}>
        {formatDuration(calls?.p95_ms)}
      </TableCell>
      <TableCell>{calls == null ? '–' : <Time us={calls.last_call_us} />}</TableCell>
      <TableCell sx={{ maxWidth: 360, overflowWrap: 'anywhere' }}>
        {calls?.last_failure_us == null ? (
          <Faint>{standing.tone === 'rest' ? standing.why : '–'}</Faint>
        ) : (
          <Typography variant="caption" sx={{ ...clamped(3) }} title={calls.last_error ?? ''}>
            <Time us={calls.last_failure_us} />: {calls.last_error ?? 'failed'}
          </Typography>
        )}
      </TableCell>
    </>
  );
}

function Name({ name, note }: { name: string; note?: string | null }): ReactElement {
  return (
    <TableCell sx={{ whiteSpace: 'nowrap' }}>
      <Box component="span" sx={{ fontWeight: 600 }}>
        {name}
      </Box>
      {note != null && <Faint sx={{ ml: 1 }}>{note}</Faint>}
    </TableCell>
  );
}

function State({ standing }: { standing: HealthStatus }): ReactElement {
  return (
    <TableCell title={standing.why}>
      <ToneChip tone={standing.tone} label={standing.label} />
    </TableCell>
  );
}

/** The first names of a list, all of them in the tooltip. */
function Names({ names, before = '' }: { names: readonly string[]; before?: string }): ReactElement {
  const more = names.length - 3;
  return (
    <span title={names.join(', ')}>
      {before}
      {names.slice(0, 3).join(', ')}
      {more > 0 ? ` and ${String(more)} more` : ''}
    </span>
  );
}

function Provider({ one, standing }: { one: LlmProvider; standing: HealthStatus }): ReactElement {
  const { configured, calls } = one;
  // A scripted model reports the name of its file as model.
  const others =
    configured?.type === 'scripted' ? [] : (calls?.used ?? []).filter((model) => model !== configured?.model);
  return (
    <TableRow data-testid="provider">
      <Name name={one.name} note={configured?.is_default === true ? 'default' : null} />
      <State standing={standing} />
      <TableCell>
        <Faint component="div">
          {configured == null
            ? ''
            : configured.type === configured.model
              ? configured.model
              : `${configured.type} · ${configured.model}`}
        </Faint>
        {others.length > 0 && (
          <Typography variant="caption" component="div">
            <Names before="answered by " names={others} />
          </Typography>
        )}
        {configured != null && configured.fallbacks.length > 0 && (
          <Faint component="div">
            <Names before="falls back to " names={configured.fallbacks} />
          </Faint>
        )}
      </TableCell>
      <Figures calls={calls} standing={standing} />
    </TableRow>
  );
}

function Server({ one, standing }: { one: McpServer; standing: HealthStatus }): ReactElement {
  const { configured, calls } = one;
  return (
    <TableRow data-testid="mcp-server">
      <Name name={one.name} note={BUILT_IN_SERVERS.has(one.name) && configured == null ? 'built-in tools' : null} />
      <State standing={standing} />
      <TableCell>
        <Faint component="div">
          {configured == null ? (
            ''
          ) : (
            <>
              {configured.server_type} · {configured.transport}
              {configured.agents.length > 0 ? (
                <>
                  {' '}
                  · <Names names={configured.agents} />
                </>
              ) : (
                ' · not used by any agent'
              )}
            </>
          )}
        </Faint>
        {(calls?.used.length ?? 0) > 0 && (
          <Typography variant="caption" component="div">
            <Names before="tools: " names={calls?.used ?? []} />
          </Typography>
        )}
      </TableCell>
      <Figures calls={calls} standing={standing} />
    </TableRow>
  );
}

function Table({
  label,
  head,
  none,
  children,
}: {
  label: string;
  head: readonly string[];
  none: string | null;
  children: ReactNode;
}): ReactElement {
  if (none !== null) return <EmptyState title={none} />;
  return (
    <SmallTable label={label} head={[...head, ...COLUMNS]}>
      {children}
    </SmallTable>
  );
}

/** Tables of all providers and MCP servers, with their configuration and their calls in the last hour. */
export function Upstreams(): ReactElement {
  const list = useUpstreams();
  const note = 'calls in the last hour';
  return (
    <>
      <Section title="LLM providers" note={note}>
        <QueryResult list={list} what="the providers">
          {({ providers }) => (
            <Table
              label="LLM providers"
              head={['Provider', 'Status', 'Model']}
              none={providers.length === 0 ? 'No LLM providers configured' : null}
            >
              {sortByStatus(providers, providerStatus).map((line) => (
                <Provider key={line.one.name} {...line} />
              ))}
            </Table>
          )}
        </QueryResult>
      </Section>
      <Section title="MCP servers" note={note}>
        <QueryResult list={list} what="the servers">
          {({ mcp_servers: servers }) => (
            <Table
              label="MCP servers"
              head={['Server', 'Status', 'Details']}
              none={servers.length === 0 ? 'No MCP servers configured' : null}
            >
              {sortByStatus(servers, serverStatus).map((line) => (
                <Server key={line.one.name} {...line} />
              ))}
            </Table>
          )}
        </QueryResult>
      </Section>
    </>
  );
}
