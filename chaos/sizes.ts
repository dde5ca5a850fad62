/**
 * The sizes of a chaos run: `small` has one database and one Redis; `ha` has as many servers as a deployment that
 * survives the loss of a machine.
 */
export const SIZES = ['small', 'ha'] as const;
export type Size = (typeof SIZES)[number];

// A process that is both API and worker submits the operations that it records. Other processes leave them to the
// queue.
const SMALL = {
  api: 'api,worker',
  'worker-1': 'worker',
  'worker-2': 'worker',
  'projector-1': 'projector,clock',
  'projector-2': 'projector,clock',
} as const;

const HA = {
  'api-1': 'api,worker',
  'api-2': 'api',
  'worker-1': 'worker',
  'worker-2': 'worker',
  'projector-1': 'projector',
  'projector-2': 'projector',
  'clock-1': 'clock',
  'clock-2': 'clock',
} as const;

export type PlaceName = keyof typeof SMALL | keyof typeof HA;

/** The places in which processes of Tenure run, each with its roles. */
export const PLACES: Readonly<Record<Size, Partial<Readonly<Record<PlaceName, string>>>>> = {
  small: SMALL,
  ha: HA,
};

export const placesOf = (size: Size): readonly PlaceName[] =>
  Object.keys(PLACES[size]) as PlaceName[];

/** Returns the role of a place: its name without its number. */
export const roleAt = (place: string): string => place.replace(/-\d+$/u, '');
