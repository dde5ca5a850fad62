import { signal } from './signal.ts';

/** `ledger`: UTC with all digits, as the ledger wrote the time. */
export type Zone = 'local' | 'utc' | 'ledger';
export type Theme = 'system' | 'light' | 'dark';
export type Density = 'comfortable' | 'compact';

/** A person's settings in this browser. */
export interface Preferences {
  readonly zone: Zone;
  readonly theme: Theme;
  readonly density: Density;
}

/** The key in `localStorage`. `public/theme-init.js` reads it too. */
const KEY = 'tenure.preferences';
const DEFAULTS: Preferences = { zone: 'local', theme: 'system', density: 'comfortable' };

const one = <T extends string>(value: unknown, of: readonly T[], otherwise: T): T =>
  of.find((known) => known === value) ?? otherwise;

function stored(): Preferences {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? '{}') as Readonly<
      Record<string, unknown>
    >;
    return {
      zone: one(found['zone'], ['local', 'utc', 'ledger'], DEFAULTS.zone),
      theme: one(found['theme'], ['system', 'light', 'dark'], DEFAULTS.theme),
      density: one(found['density'], ['comfortable', 'compact'], DEFAULTS.density),
    };
  } catch {
    return DEFAULTS;
  }
}

export const preferences = signal<Preferences>(stored());

function show({ theme, density }: Preferences): void {
  const { dataset } = document.documentElement;
  if (theme === 'system') delete dataset['theme'];
  else dataset['theme'] = theme;
  if (density === 'compact') dataset['density'] = density;
  else delete dataset['density'];
}

export function choose(over: Partial<Preferences>): void {
  const chosen = { ...preferences.get(), ...over };
  localStorage.setItem(KEY, JSON.stringify(chosen));
  preferences.set(chosen);
  show(chosen);
}

// Another tab has changed the settings.
addEventListener('storage', ({ key }) => {
  if (key !== KEY) return;
  const chosen = stored();
  preferences.set(chosen);
  show(chosen);
});
