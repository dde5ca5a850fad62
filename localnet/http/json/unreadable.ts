/**
 * A part of the request has the wrong shape. The JSON API answers in plain text, not in its error shape: `Invalid
 * value for: body (…)`.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  constructor(detail: string | undefined, part = 'body') {
    super(`Invalid value for: ${part}${detail === undefined ? '' : ` (${detail})`}`);
  }
}
