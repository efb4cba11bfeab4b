/** Events of a stage, to show it as a conversation. */
import type { Interaction, LlmInteraction, McpInteraction } from '../api/types';
import { stripAnsi } from '../text/ansi';
import { maskedCount, maskedKinds } from '../text/masked';
import { parseReply, type Reply } from '../text/reactReply';
import { asText, contentText } from '../text/show';

export interface PromptEvent {
  kind: 'prompt';
  id: string;
  role: string;
  text: string;
}
export interface AnswerEvent {
  kind: 'answer';
  id: string;
  at: LlmInteraction;
  reply: Reply;
  text: string;
  toolCalls: string | null;
}
export interface ToolEvent {
  kind: 'tool';
  id: string;
  at: McpInteraction;
  name: string;
  input: string;
  output: string;
  masked: [string, number][];
  maskedTotal: number;
  truncated: boolean;
}
export interface ToolListEvent {
  kind: 'tools';
  id: string;
  at: McpInteraction;
  names: string[];
}
export type StageEvent = PromptEvent | AnswerEvent | ToolEvent | ToolListEvent;

/** Truncation marks that the recorder and the agent write. */
const CUT = /\[(?:truncated|cut|…)[^\]]*\]|truncated by/i;

function promptsOf(llm: LlmInteraction, seen: number): { events: PromptEvent[]; seen: number } {
  const { messages = [], new_messages: fresh, response_text: answer } = llm.details;
  const prompts = fresh ?? messages.slice(seen, messages.length - (answer != null ? 1 : 0));
  const events = prompts.flatMap((message, at): PromptEvent[] => {
    // Agent messages and tool results are separate events.
    if (message.role === 'assistant' || message.role === 'tool') return [];
    const text = contentText(message.content);
    if (/^Observation:/.test(text) && at + seen > 1) return [];
    return [{ kind: 'prompt', id: `${llm.id}-prompt-${String(at + seen)}`, role: message.role, text }];
  });
  return { events, seen: seen + prompts.length };
}

function toolOf(mcp: McpInteraction): ToolEvent | ToolListEvent {
  const { details } = mcp;
  if (details.communication_type === 'tool_list') {
    return { kind: 'tools', id: mcp.id, at: mcp, names: (details.available_tools ?? []).map((tool) => tool.name) };
  }
  const output = asText(details.result);
  const masked = maskedKinds(details.masked_kinds, output);
  return {
    kind: 'tool',
    id: mcp.id,
    at: mcp,
    name: details.tool_name == null ? details.server_name : `${details.server_name}.${details.tool_name}`,
    input: asText(details.parameters),
    output,
    masked,
    maskedTotal: maskedCount(masked),
    truncated: details.truncated === true || CUT.test(output),
  };
}

function answerOf(llm: LlmInteraction): AnswerEvent {
  const text = llm.details.response_text ?? '';
  const calls = llm.details.tool_calls;
  const none = calls === null || calls === undefined || (Array.isArray(calls) && calls.length === 0);
  return { kind: 'answer', id: llm.id, at: llm, reply: parseReply(text), text, toolCalls: none ? null : asText(calls) };
}

/** Events by interaction: a record only grows, so earlier events are reused. */
const made = new WeakMap<Interaction, StageEvent>();

function eventOf(interaction: Interaction): StageEvent {
  const known = made.get(interaction);
  if (known !== undefined) return known;
  const event = interaction.type === 'mcp' ? toolOf(interaction) : answerOf(interaction);
  made.set(interaction, event);
  return event;
}

/** The events of one stage execution. */
export function conversation(interactions: readonly Interaction[]): StageEvent[] {
  const events: StageEvent[] = [];
  let seen = 0;
  for (const interaction of interactions) {
    if (interaction.type === 'mcp') {
      events.push(eventOf(interaction));
      continue;
    }
    const prompts = promptsOf(interaction, seen);
    seen = prompts.seen;
    events.push(...prompts.events, eventOf(interaction));
  }
  return events;
}

/** Searchable text of an event. */
export function searchable(event: StageEvent): string {
  switch (event.kind) {
    case 'prompt':
      return event.text;
    case 'answer':
      return [event.text, event.at.details.thinking ?? '', event.toolCalls ?? '', event.at.error_message ?? ''].join(
        '\n',
      );
    case 'tool':
      return [event.name, event.input, stripAnsi(event.output), event.at.error_message ?? ''].join('\n');
    case 'tools':
      return event.names.join('\n');
  }
}
