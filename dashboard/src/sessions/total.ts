import { formatCount } from '@tarsy/ui';

/** How many sessions match; not `exact`: an estimate. */
export interface Total { number: number; exact: boolean }

/** `1,204` if they were counted. An estimate is not shown as a count: what is `loaded` is a lower bound, `100+`. */
export const totalLabel = ({ number, exact }: Total, loaded: number): string => (exact ? formatCount(number) : `${formatCount(loaded)}+`);
