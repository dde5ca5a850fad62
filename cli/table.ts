import Table from 'cli-table3';

/**
 * Returns a table without borders, with two spaces between columns.
 *
 * @param widths of the columns including the two spaces; longer values are cut. Absent: as wide as the values need
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
  // Lines must not end in spaces, because people copy them from the terminal.
  return made
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
