const FORM = /^PT(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d{1,3})?)S)?$/u;

/** The regular expression for settings that {@link shortDurationMs} parses. */
export const SHORT_DURATION = FORM.source;

/**
 * Returns the milliseconds of an ISO 8601 duration with hours, minutes and seconds, such as `PT1M30S`. @throws
 * TypeError for any other text
 */
export function shortDurationMs(text: string): number {
  const parts = FORM.exec(text);
  if (parts === null) throw new TypeError(`not a duration such as PT10S: ${text.slice(0, 80)}`);
  const [hours, minutes, seconds] = parts.slice(1).map((part) => Number(part ?? 0));
  return Math.round((((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1_000);
}
