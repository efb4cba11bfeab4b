/** What is said of an answer. */
import type { AnswerRating } from '@tarsy/ui';

export const RATINGS: readonly { value: AnswerRating; label: string }[] = [
  { value: 'right', label: 'correct' }, { value: 'partly_right', label: 'partly correct' }, { value: 'wrong', label: 'wrong' },
];

export const ratingLabel = (rating: AnswerRating): string => RATINGS.find(({ value }) => value === rating)?.label ?? rating;
