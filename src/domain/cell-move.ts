/**
 * How far the move of a provider is, in one of the two cells.
 *
 * - `draining`, `frozen`, `copied`, `moved`: in the cell that it leaves. From `frozen` on nothing is written there.
 * - `arrived`, `checked`, `open`: in the cell that it comes to. Until `open` nothing is written there.
 */
export type MoveState = 'draining' | 'frozen' | 'copied' | 'moved' | 'arrived' | 'checked' | 'open';

/** What a person asks for. */
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

/** Where a move stands, in a clause. */
export const standOf = (state: MoveState | null): string =>
  state === null ? 'no move was begun here' : STANDS[state];

/**
 * Why a step cannot be taken now; `null` where it can, or has been taken and may be taken again.
 *
 * The rule that the table keeps: of the two cells at most one takes writes. The old one stops before there is a copy,
 * and can take the provider back until it is closed; the new one begins with what only a closed one shows.
 */
export const refusalOf = (step: MoveStep, state: MoveState | null): string | null =>
  ALLOWED[step].includes(state) ? null : standOf(state);

/** Whether the cell takes writes of its provider. */
export const takesWrites = (state: MoveState | null): boolean =>
  state === null || state === 'open' || state === 'draining';
