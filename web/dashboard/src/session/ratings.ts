/** What is said of an answer, and what was wrong with it. */
import type { AnswerRating } from '@tarsy/ui';

export const RATINGS: readonly { value: AnswerRating; label: string }[] = [
  { value: 'right', label: 'correct' },
  { value: 'partly_right', label: 'partly correct' },
  { value: 'wrong', label: 'wrong' },
];

export const ratingLabel = (rating: AnswerRating): string =>
  RATINGS.find(({ value }) => value === rating)?.label ?? rating;

/** Faults of an answer that is not right, as the API names them. */
export const FAULTS: readonly { value: string; label: string }[] = [
  { value: 'wrong_cause', label: 'wrong cause' },
  { value: 'wrong_target', label: 'wrong target' },
  { value: 'missing_evidence', label: 'evidence missing' },
  { value: 'invented', label: 'invented facts' },
  { value: 'incomplete', label: 'incomplete' },
  { value: 'unclear', label: 'unclear' },
];

export const faultLabel = (fault: string): string => FAULTS.find(({ value }) => value === fault)?.label ?? fault;
