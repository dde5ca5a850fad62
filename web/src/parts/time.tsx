import { useSyncExternalStore } from 'react';
import { serverNowMs } from '../api/clock.ts';
import type { Zone } from '../preferences.ts';
import { preferences } from '../preferences.ts';
import { signal, useSignal } from '../signal.ts';
import { numberText, relativeText, timeText } from '../texts/intl.ts';
import * as t from '../texts/parts.tsx';

/* Instants as people read them: relative to now, with the exact time on hover and for screen readers. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** One clock that updates all relative times of the page at once. */
const nowMs = signal(Date.now());
setInterval(() => nowMs.set(Date.now()), 1_000);

/** Returns a time relative to now, in words: "3m ago", "in 2d", "just now". */
export function relativeTime(atMs: number, now: number): string {
  const difference = atMs - now;
  const size = Math.abs(difference);
  // Clocks may differ by this much, and a recent event must not seem to be in the future.
  if (size < SECOND_MS) return t.justNow;
  if (size < MINUTE_MS) return relativeText(Math.round(difference / SECOND_MS), 'second');
  if (size < HOUR_MS) return relativeText(Math.round(difference / MINUTE_MS), 'minute');
  if (size < 2 * DAY_MS) return relativeText(Math.round(difference / HOUR_MS), 'hour');
  return relativeText(Math.round(difference / DAY_MS), 'day');
}

const ZONES: Readonly<Record<Zone, string | undefined>> = {
  utc: 'UTC',
  // The ledger's times are in UTC, and are shown with all their digits.
  ledger: 'UTC',
  local: undefined,
};

const told = (at: string, zone: Zone, as: 'exact' | 'short' | 'clock'): string => {
  const atMs = Date.parse(at);
  return Number.isNaN(atMs) ? at : timeText(atMs, as, ZONES[zone]);
};

/** Returns date and time in the chosen zone; for `ledger`, the text that the ledger wrote. */
export const exactTime = (at: string, zone: Zone): string =>
  zone === 'ledger' ? at : told(at, zone, 'exact');

/** Returns day and minute, for places with little room. */
export const shortTime = (at: string, zone: Zone): string => told(at, zone, 'short');

/** Returns the time of day with seconds, for entries that follow each other closely. */
export const clockTime = (at: string, zone: Zone): string => told(at, zone, 'clock');

interface TimeProps {
  /** The instant in the format of RFC 3339. */
  readonly at: string;
  /**
   * `relative`: "3m ago". `short`: day and minute. `clock`: time of day. `exact`: date and time with milliseconds.
   * @default 'relative'
   */
  readonly as?: 'relative' | 'short' | 'clock' | 'exact';
}

export function Time({ at, as = 'relative' }: TimeProps) {
  const { zone } = useSignal(preferences);
  const atMs = Date.parse(at);
  // The text is computed every second but rendered only if it has changed, because a page may have thousands of times.
  const relative = useSyncExternalStore(nowMs.subscribe, () =>
    Number.isNaN(atMs) ? at : relativeTime(atMs, serverNowMs()),
  );
  if (Number.isNaN(atMs)) return <span>{at}</span>;
  const exact = exactTime(at, zone);
  const words = {
    relative: () => relative,
    short: () => shortTime(at, zone),
    clock: () => clockTime(at, zone),
    exact: () => exact,
  };
  return (
    <time dateTime={at} title={as === 'relative' || as === 'clock' ? exact : relative}>
      {words[as]()}
    </time>
  );
}

const INSTANT = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/gu;

/** Returns a function that replaces the instants in a text of the API by readable ones. */
export function useReadable(): (text: string) => string {
  const { zone } = useSignal(preferences);
  return (text) =>
    zone === 'ledger' ? text : text.replaceAll(INSTANT, (at) => shortTime(at, zone));
}

/** Renders a text with readable times. */
export function Readable({ text }: { readonly text: string }) {
  const readable = useReadable();
  return <span title={text}>{readable(text)}</span>;
}

const pad = (value: number): string => numberText(value, 'twoDigits');

function remaining(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  if (days > 0) return t.dH(days, hours);
  return hours > 0
    ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}`
    : `${minutes}:${pad(seconds % 60)}`;
}

/** Shows the time left until a deadline; afterwards shows the text `over`. */
export function Deadline({ at, over }: { readonly at: string; readonly over: string }) {
  const { zone } = useSignal(preferences);
  useSignal(nowMs);
  const leftMs = Date.parse(at) - serverNowMs();
  return (
    <time dateTime={at} title={exactTime(at, zone)}>
      {leftMs > 0 ? t.left(remaining(leftMs)) : over}
    </time>
  );
}

/** Returns the server's time in milliseconds, updated every second. */
export function useNowMs(): number {
  useSignal(nowMs);
  return serverNowMs();
}

/** Returns this browser's time in milliseconds, updated every second. */
export const useTickMs = (): number => useSignal(nowMs);
