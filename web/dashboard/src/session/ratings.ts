/** Ratings of an answer, and its faults. */
import type { AnswerRating } from '@tarsy/ui';

export const RATINGS: readonly (readonly [AnswerRating, label: string])[] = [
  ['right', 'correct'],
  ['partly_right', 'partly correct'],
  ['wrong', 'wrong'],
];

export const ratingLabel = (rating: AnswerRating): string => RATINGS.find(([value]) => value === rating)?.[1] ?? rating;

/** Faults of a wrong answer, by their names in the API. */
export const FAULTS: readonly (readonly [fault: string, label: string])[] = [
  ['wrong_cause', 'wrong cause'],
  ['wrong_target', 'wrong target'],
  ['missing_evidence', 'evidence missing'],
  ['invented', 'invented facts'],
  ['incomplete', 'incomplete'],
  ['unclear', 'unclear'],
];

export const faultLabel = (fault: string): string => FAULTS.find(([value]) => value === fault)?.[1] ?? fault;
