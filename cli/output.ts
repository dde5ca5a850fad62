import Table from 'cli-table3';

/** One clear line on standard error; the process ends with a code that is not 0. */
export function complain(message: string, exitCode = 1): void {
  console.error(`tenure: ${message}`);
  process.exitCode = exitCode;
}

/**
 * A table without frames: columns apart by two spaces.
 *
 * @param widths of the columns with the two spaces; what is longer is cut. As wide as it takes without them
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  widths?: readonly number[],
): string {
  const made = new Table({
    head: [...head],
    ...(widths === undefined ? {} : { colWidths: [...widths] }),
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

const PORT_TAKEN = /EADDRINUSE\b.*?:(\d+)$/u;

/** What went wrong, as one line. */
export function lineOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.split('\n')[0] ?? 'unknown error';
  const port = PORT_TAKEN.exec(line)?.[1];
  if (port === undefined) return line;
  return `port ${port} is taken by another program: end that, or use \`cli/tenure start --free-ports\``;
}
