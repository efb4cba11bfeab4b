/** Model answers in progress, assembled from streamed pieces (docs/LIVE.md). */
import type { LiveEvent } from './protocol';

/** Type of messages with a piece of an answer. They are not stored and make no data out of date. */
export const ANSWER_PIECE = 'answer_piece';

interface Part {
  /** Number of UTF-16 code units before `text` that were missed. */
  from: number;
  text: string;
}

/** The part of the answer to one model call that has arrived. */
export interface GrowingAnswer {
  executionId: string;
  interactionId: string;
  epoch: number;
  attempt: number;
  thinking: Part;
  text: Part;
  /** Whether the text is provisional: the complete answer is checked, and the checked answer replaces it. */
  isDraft: boolean;
}

/** Growing answers by stage execution id. */
export type GrowingAnswers = ReadonlyMap<string, GrowingAnswer>;

export const noAnswers: GrowingAnswers = new Map();

interface Piece {
  executionId: string;
  interactionId: string;
  epoch: number;
  attempt: number;
  part: 'thinking' | 'text' | 'draft';
  offset: number;
  text: string;
}

function pieceOf({ type, data }: LiveEvent): Piece | null {
  if (type !== ANSWER_PIECE || data === undefined) return null;
  const { stage_execution_id: executionId, interaction_id: interactionId, epoch, attempt, part, offset, text } = data;
  if (typeof executionId !== 'string' || typeof interactionId !== 'string' || typeof text !== 'string') return null;
  if (
    typeof epoch !== 'number' ||
    typeof attempt !== 'number' ||
    typeof offset !== 'number' ||
    (part !== 'thinking' && part !== 'text' && part !== 'draft')
  )
    return null;
  return { executionId, interactionId, epoch, attempt, part, offset, text };
}

/** Inserts a piece into a part at its offset. After a gap, the part starts anew with the piece. */
function placed(part: Part, { offset, text }: Piece): Part {
  const at = offset - part.from;
  return at < 0 || at > part.text.length
    ? { from: offset, text }
    : { from: part.from, text: part.text.slice(0, at) + text };
}

function taken(known: GrowingAnswer | undefined, piece: Piece): GrowingAnswer | undefined {
  // A worker that lost the stage keeps sending pieces until it notices.
  if (known !== undefined && piece.epoch < known.epoch) return known;
  const isSameCall = known?.epoch === piece.epoch && known.interactionId === piece.interactionId;
  if (isSameCall && piece.attempt < known.attempt) return known;
  const { executionId, interactionId, epoch, attempt } = piece;
  const base: GrowingAnswer =
    isSameCall && known.attempt === attempt
      ? known
      : {
          executionId,
          interactionId,
          epoch,
          attempt,
          thinking: { from: 0, text: '' },
          text: { from: 0, text: '' },
          isDraft: false,
        };
  if (piece.part === 'thinking') return { ...base, thinking: placed(base.thinking, piece) };
  return { ...base, text: placed(base.text, piece), isDraft: piece.part === 'draft' };
}

/** Returns the answers after these events; the same object if no answer has grown. */
export function grown(answers: GrowingAnswers, events: readonly LiveEvent[]): GrowingAnswers {
  let next: Map<string, GrowingAnswer> | null = null;
  for (const event of events) {
    const piece = pieceOf(event);
    if (piece === null) continue;
    const known = (next ?? answers).get(piece.executionId);
    const answer = taken(known, piece);
    if (answer === undefined || answer === known) continue;
    next ??= new Map(answers);
    next.set(piece.executionId, answer);
  }
  return next ?? answers;
}

/** Text of a part for display; missed text is shown as an ellipsis. */
export const shownPart = ({ from, text }: Part): string => (from > 0 && text !== '' ? `…${text}` : text);
