/**
 * Until when something may be sent, by both clocks of this process: a steady clock stands still while its machine
 * sleeps, and a wall clock may be set back. Milliseconds.
 */
export interface SendBy {
  readonly wallMs: number;
  readonly steadyMs: number;
}

export const sendWithin = (ms: number): SendBy => ({
  wallMs: Date.now() + ms,
  steadyMs: performance.now() + ms,
});

/** By the clock that has gone on further; not positive when it is over. */
export const leftUntil = ({ wallMs, steadyMs }: SendBy): number =>
  Math.min(wallMs - Date.now(), steadyMs - performance.now());

/** As one value of a header. */
export const sendByToText = ({ wallMs, steadyMs }: SendBy): string => `${wallMs} ${steadyMs}`;

export function sendByFromText(text: string): SendBy {
  const [wallMs = 0, steadyMs = 0] = text.split(' ').map(Number);
  return { wallMs, steadyMs };
}
