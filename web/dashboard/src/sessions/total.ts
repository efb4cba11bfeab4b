/** Number of matching sessions. If not `exact`, it is an estimate, and `atLeast` were counted. */
export interface Total {
  number: number;
  exact: boolean;
  atLeast: number;
}

/** Formats a count with all digits: `10,000`, not `10.0k`. */
export const whole = (number: number): string => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');

/**
 * Formats an exact total as `1,204`. An estimate is not shown as a count: its label is the lower bound of counted or
 * `loaded` sessions, `10,000+`.
 */
export const totalLabel = ({ number, exact, atLeast }: Total, loaded: number): string =>
  exact ? whole(number) : `${whole(Math.max(atLeast, loaded))}+`;
