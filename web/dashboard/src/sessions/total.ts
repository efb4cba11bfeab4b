/** How many sessions match; not `exact`: an estimate, and `atLeast` were counted. */
export interface Total {
  number: number;
  exact: boolean;
  atLeast: number;
}

/** A count to the last digit: `10,000`, not `10.0k`. */
export const whole = (number: number): string => String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1,204` if they were counted. An estimate is not shown as a count: what was counted or is `loaded` is a lower bound, `10,000+`. */
export const totalLabel = ({ number, exact, atLeast }: Total, loaded: number): string =>
  exact ? whole(number) : `${whole(Math.max(atLeast, loaded))}+`;
