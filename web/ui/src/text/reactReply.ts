/** Parses a ReAct reply for display; agents have their own parser. */

export interface Reply {
  thought: string | null;
  action: string | null;
  actionInput: string | null;
  finalAnswer: string | null;
  /** Text before the first header. */
  rest: string | null;
}

const HEADER = /^[ \t>*_#-]*(Thought|Action Input|Action|Final Answer)[*_]*[ \t]*:[*_]*[ \t]*/gim;

/** Splits a reply at its headers; a reply without any is all `rest`. */
export function parseReply(text: string): Reply {
  const reply: Reply = { thought: null, action: null, actionInput: null, finalAnswer: null, rest: null };
  const found = [...text.matchAll(HEADER)];
  const first = found[0];
  const before = (first === undefined ? text : text.slice(0, first.index)).trim();
  if (before !== '') reply.rest = before;
  for (const [at, match] of found.entries()) {
    const start = match.index + match[0].length;
    const name = (match[1] ?? '').toLowerCase();
    // A final answer is prose that may contain such headers itself, so it runs to the end.
    const end = name === 'final answer' ? text.length : (found[at + 1]?.index ?? text.length);
    const value = text.slice(start, end).trim();
    if (name === 'thought') reply.thought = reply.thought === null ? value : `${reply.thought}\n\n${value}`;
    else if (name === 'action') reply.action ??= value;
    else if (name === 'action input') reply.actionInput ??= value;
    else {
      reply.finalAnswer = value;
      break;
    }
  }
  return reply;
}
