/**
 * Thrown if a part of the request has the wrong form. The JSON API then answers in plain text, such as `Invalid value
 * for: body (…)`, instead of a JSON error.
 */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  constructor(detail: string | undefined, part = 'body') {
    super(`Invalid value for: ${part}${detail === undefined ? '' : ` (${detail})`}`);
  }
}
