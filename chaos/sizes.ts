/** How much of Tenure runs in a chaos: one database and one Redis, or as where a machine may be lost. */
export const SIZES = ['small', 'ha'] as const;
export type Size = (typeof SIZES)[number];

// A process that is also a worker submits the operations that it records; one that is not leaves them to the queue.
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

/** Where processes of Tenure run, and what they play. */
export const PLACES: Readonly<Record<Size, Partial<Readonly<Record<PlaceName, string>>>>> = {
  small: SMALL,
  ha: HA,
};

export const placesOf = (size: Size): readonly PlaceName[] =>
  Object.keys(PLACES[size]) as PlaceName[];

/** Returns the role of a place: its name without its number. */
export const roleAt = (place: string): string => place.replace(/-\d+$/u, '');
