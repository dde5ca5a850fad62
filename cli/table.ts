import Table from 'cli-table3';

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
  // Nothing that is copied from a terminal ends in spaces.
  return made
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
