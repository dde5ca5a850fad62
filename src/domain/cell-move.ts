/**
 * The state of a provider's move from one deployment (the old cell) to another (the new cell). Each cell stores its
 * own.
 *
 * - `draining`, `frozen`, `copied`, `moved`: in the old cell. From `frozen` on, nothing is written there.
 * - `arrived`, `checked`, `open`: in the new cell. Before `open`, nothing is written there.
 */
export type MoveState = 'draining' | 'frozen' | 'copied' | 'moved' | 'arrived' | 'checked' | 'open';

/** The steps of a move. An operator takes each step with a command. */
export type MoveStep = 'export' | 'give-back' | 'switch' | 'import' | 'open';

const ALLOWED: Readonly<Record<MoveStep, readonly (MoveState | null)[]>> = {
  export: [null, 'open', 'draining', 'frozen', 'copied'],
  'give-back': ['draining', 'frozen', 'copied'],
  switch: ['copied', 'moved'],
  import: [null, 'arrived', 'checked'],
  open: ['checked', 'open'],
};

const STANDS: Readonly<Record<MoveState, string>> = {
  draining: 'the provider is paused here and drains',
  frozen: 'the provider is frozen here and not copied yet',
  copied: 'the provider is frozen here and copied to a file',
  moved: 'the provider has moved to another cell',
  arrived: 'the provider was imported here and not checked yet',
  checked: 'the provider was imported here and checked, and waits for its old cell to be closed',
  open: 'the provider was imported here and has been opened',
};

/** Describes the state of a move in a clause for messages. */
export const standOf = (state: MoveState | null): string =>
  state === null ? 'no move was begun here' : STANDS[state];

/**
 * Returns why a step of the move is not allowed now, or `null` if it is allowed. A step that was taken may be repeated.
 *
 * The table enforces one rule: at most one of the two cells accepts writes. The old cell stops writing before the copy
 * is made, and can take the provider back until it is closed. The new cell opens only with the clearance, which only a
 * closed old cell issues.
 */
export const refusalOf = (step: MoveStep, state: MoveState | null): string | null =>
  ALLOWED[step].includes(state) ? null : standOf(state);

/** Returns whether the cell accepts writes of its provider. */
export const takesWrites = (state: MoveState | null): boolean =>
  state === null || state === 'open' || state === 'draining';
