import Table from 'cli-table3';

/** One clear line on standard error; the process ends with a code that is not 0. */
export function complain(message: string): void {
  console.error(`tenure: ${message}`);
  process.exitCode = 1;
}

/** A table without frames: columns apart by two spaces. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const made = new Table({
    head: [...head],
    style: { head: [], border: [], compact: true, 'padding-left': 0, 'padding-right': 2 },
    chars: {
      top: '',
      'top-mid': '',
      'top-left': '',
      'top-right': '',
      bottom: '',
      'bottom-mid': '',
      'bottom-left': '',
      'bottom-right': '',
      left: '',
      'left-mid': '',
      mid: '',
      'mid-mid': '',
      right: '',
      'right-mid': '',
      middle: '',
    },
  });
  made.push(...rows.map((row) => [...row]));
  return made.toString();
}

/** What went wrong, as one line. */
export const lineOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? 'unknown error';
