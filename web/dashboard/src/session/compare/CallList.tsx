import { Box, Button, Link, Typography } from '@mui/material';
import {
  BARE_LIST,
  Faint,
  formatBytes,
  Code,
  formatDuration,
  mono,
  toneColor,
  toneSurface,
  type McpInteraction,
  type Tone,
} from '@tarsy/ui';
import { useState, type ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { outcome, toolName, type CallPair } from './attempts';
import { folded } from './diff';
import { TextDiff } from './TextDiff';

/** Rows before "Show more". */
const MOST = 100;

const TOLD: Record<CallPair['kind'], { sign: string; tone: Tone; says: (a: string, b: string) => string }> = {
  same: { sign: '=', tone: 'rest', says: () => 'same in both' },
  other: { sign: '≠', tone: 'warn', says: () => 'different result' },
  gone: { sign: '−', tone: 'bad', says: (a) => `only in ${a}` },
  new: { sign: '+', tone: 'good', says: (_, b) => `only in ${b}` },
};

const took = (call: McpInteraction): string =>
  `${formatDuration(call.duration_ms)}, ${formatBytes(outcome(call).length)}${call.success === false ? ', failed' : call.success == null ? ', pending' : ''}`;

/** Link to a call in the conversation. */
function Read({ call, name }: { call: McpInteraction; name: string }): ReactElement {
  return (
    <Link component={RouterLink} to={`?event=${call.id}`} replace variant="caption" underline="hover">
      View in {name}
    </Link>
  );
}

function Call({ called, names }: { called: CallPair; names: [string, string] }): ReactElement {
  const [open, setOpen] = useState(false);
  const { sign, tone, says } = TOLD[called.kind];
  const [a, b] = ['a' in called ? called.a : null, 'b' in called ? called.b : null];
  const one = (b ?? a) as McpInteraction;
  const figures = a !== null && b !== null && took(a) !== took(b) ? `${took(a)} → ${took(b)}` : took(one);
  return (
    <Box
      component="li"
      data-testid="called"
      data-kind={called.kind}
      sx={{
        display: 'grid',
        gridTemplateColumns: '22px minmax(0, 1fr)',
        columnGap: 1,
        px: 1,
        py: 0.75,
        borderBottom: 1,
        borderColor: 'divider',
        '&:last-of-type': { borderBottom: 0 },
      }}
    >
      <Box
        aria-hidden
        sx={{
          fontWeight: 700,
          textAlign: 'center',
          borderRadius: 0.75,
          height: 22,
          lineHeight: '22px',
          color: toneColor[tone],
          bgcolor: toneSurface(tone),
        }}
      >
        {sign}
      </Box>
      <Box sx={{ minWidth: 0 }}>
        <Box sx={{ display: 'flex', columnGap: 1.25, flexWrap: 'wrap', alignItems: 'baseline' }}>
          <Typography component="code" sx={{ fontFamily: mono, fontSize: '0.8125rem', overflowWrap: 'anywhere' }}>
            {toolName(one)}
          </Typography>
          <Typography variant="caption" sx={{ color: toneColor[tone] }}>
            {says(...names)}
          </Typography>
          <Faint>{figures}</Faint>
          <Button
            onClick={() => {
              setOpen(!open);
            }}
            aria-expanded={open}
            sx={{ py: 0, px: 0.5, minWidth: 0 }}
          >
            {open ? 'Hide' : called.kind === 'other' ? 'Show diff' : 'Result'}
          </Button>
        </Box>
        <Typography sx={{ fontFamily: mono, fontSize: '0.75rem', overflowWrap: 'anywhere', color: 'text.secondary' }}>
          {JSON.stringify(one.details.parameters)}
        </Typography>
        {open && (
          <Box sx={{ mt: 0.75, display: 'grid', gap: 0.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
            {called.kind === 'other' ? (
              <TextDiff a={outcome(called.a)} b={outcome(called.b)} label="Result diff" />
            ) : (
              <Code text={outcome(one)} what="tool result" lines={20} />
            )}
            <Box sx={{ display: 'flex', gap: 2 }}>
              {a !== null && <Read call={a} name={names[0]} />}
              {b !== null && <Read call={b} name={names[1]} />}
            </Box>
          </Box>
        )}
      </Box>
    </Box>
  );
}

function Fold({ calls, names }: { calls: readonly CallPair[]; names: [string, string] }): ReactElement {
  const [open, setOpen] = useState(false);
  if (open)
    return (
      <>
        {calls.map((called, at) => (
          <Call key={at} called={called} names={names} />
        ))}
      </>
    );
  return (
    <Box
      component="li"
      sx={{ px: 1, py: 0.5, borderBottom: 1, borderColor: 'divider', '&:last-of-type': { borderBottom: 0 } }}
    >
      <Button
        onClick={() => {
          setOpen(true);
        }}
        sx={{ py: 0 }}
      >
        {calls.length} unchanged calls
      </Button>
    </Box>
  );
}

/** Tool calls of both runs in one list. */
export function CallList({ calls, names }: { calls: readonly CallPair[]; names: [string, string] }): ReactElement {
  const [all, setAll] = useState(false);
  const rows = folded(calls, (called) => called.kind === 'same', 1);
  const more = rows.length - MOST;
  return (
    <>
      <Box component="ul" sx={{ ...BARE_LIST, border: 1, borderColor: 'divider', borderRadius: 1 }}>
        {(all ? rows : rows.slice(0, MOST)).map((row, at) =>
          Array.isArray(row) ? (
            <Fold key={at} calls={row} names={names} />
          ) : (
            <Call key={at} called={row} names={names} />
          ),
        )}
      </Box>
      {more > 0 && !all && (
        <Button
          onClick={() => {
            setAll(true);
          }}
          sx={{ justifySelf: 'start' }}
        >
          Show {more} more
        </Button>
      )}
    </>
  );
}
