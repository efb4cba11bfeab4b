import { Box, Typography } from '@mui/material';
import {
  Coded,
  Faint,
  plainError,
  pluralize,
  runbookProblem,
  type InvestigationGap,
  type SessionDetail,
} from '@tarsy/ui';
import type { ReactElement } from 'react';

/** Something that an answer does not cover. */
interface Lack {
  key: string;
  subject: string;
  said: string;
  stages: string[];
}

const join = (words: readonly string[]): string => [...new Set(words)].join(', ');
const often = (times: number): string => (times === 1 ? '' : ` ${pluralize(times, 'time')}`);

/** Cause in a gap's error, without the server, which is shown anyway. */
const causeOf = ({ server, error }: InvestigationGap): string =>
  error == null
    ? ''
    : plainError(
        error
          .replace(`MCP server \`${server}\` is unavailable: `, '')
          .replace(`connection to MCP server \`${server}\` was lost: `, ''),
      );

/** Groups gaps by server and cause. Each cause is one line, no matter how many tools and stages met it. */
function gapLacks(gaps: readonly InvestigationGap[]): Lack[] {
  const groups = new Map<string, InvestigationGap[]>();
  for (const gap of gaps) {
    const key = `${gap.server} ${causeOf(gap) === '' ? `${gap.tool ?? ''} ${gap.kind}` : causeOf(gap)}`;
    groups.set(key, [...(groups.get(key) ?? []), gap]);
  }
  return [...groups].flatMap(([key, group]) => {
    const [first] = group;
    if (first === undefined) return [];
    const tools = group.flatMap(({ tool }) => (tool == null ? [] : [tool]));
    const times = new Map<string, number>();
    for (const gap of group) times.set(gap.kind, (times.get(gap.kind) ?? 0) + gap.times);
    const cause = causeOf(first);
    const said = [...times].map(([kind, number]) => `${kind}${often(number)}`).join(', ');
    return [
      {
        key,
        subject: tools.length === 0 ? first.server : `${first.server}.${join(tools)}`,
        said: cause === '' ? said : `${said}: ${cause}`,
        stages: group.map(({ stage }) => stage),
      },
    ];
  });
}

/** Groups failed stages by cause. */
function stageLacks(session: SessionDetail): Lack[] {
  const groups = new Map<string, string[]>();
  for (const stage of session.stages) {
    if (!stage.is_current || stage.status !== 'failed') continue;
    const cause = stage.error_message == null ? '' : plainError(stage.error_message);
    groups.set(cause, [
      ...(groups.get(cause) ?? []),
      stage.branch_name == null ? stage.stage_name : `${stage.stage_name} / ${stage.branch_name}`,
    ]);
  }
  return [...groups].map(([cause, names]) => ({
    key: `stage ${cause}`,
    subject: `Stage${names.length > 1 ? 's' : ''} ${join(names)}`,
    said: `failed${cause === '' ? '' : `: ${cause}`}`,
    stages: [],
  }));
}

/** Returns everything that the answer does not cover. Without an answer, failed stages are its error, so not here. */
export function lacks(session: SessionDetail): Lack[] {
  return [
    ...(session.runbook_error == null
      ? []
      : [
          { key: 'runbook', subject: '', said: runbookProblem(session.runbook_url, session.runbook_error), stages: [] },
        ]),
    ...(session.completed_at_us != null && session.final_analysis != null ? stageLacks(session) : []),
    ...gapLacks(session.gaps),
  ];
}

/** List of what the investigation could not see, so that the answer does not cover it. */
export function NotCovered({ session }: { session: SessionDetail }): ReactElement | null {
  const all = lacks(session);
  if (all.length === 0) return null;
  return (
    <Box
      component="section"
      aria-labelledby="not-covered-title"
      data-testid="not-covered"
      sx={{ display: 'grid', gap: 0.5, minWidth: 0 }}
    >
      <Typography variant="h3" id="not-covered-title">
        Not covered
      </Typography>
      <Box component="ul" sx={{ m: 0, pl: 2.5, display: 'grid', gap: 0.5 }}>
        {all.map(({ key, subject, said, stages }) => (
          <Typography key={key} component="li" variant="body2" sx={{ overflowWrap: 'anywhere' }}>
            {subject !== '' && (
              <>
                <b>{subject}</b>{' '}
              </>
            )}
            <Coded text={said} />
            {stages.length > 0 && <Faint> in {join(stages)}</Faint>}
          </Typography>
        ))}
      </Box>
    </Box>
  );
}
