import type { Expression } from './expression.ts';

/** A place in the source of a package. */
export interface Place {
  readonly module: string;
  /** A value, a template, or a choice after its template. */
  readonly definition: string;
  /** The line, which counts from 1; undefined if the package has no location here. */
  readonly line: number | undefined;
}

/** The number of expressions that are kept for each error. */
const KEPT_MAX = 64;
/** The number of lines of one trace. */
const LINES_MAX = 10;

interface Note {
  readonly expressions: Expression[];
  /** The machine that has added expressions last. */
  by: object;
}

/** The expressions that were evaluated when an error was raised, innermost first. */
const notes = new WeakMap<object, Note>();

/**
 * Keeps the expressions that a machine was evaluating when an error was raised. Other machines may have added theirs
 * before. If the same machine raises the error again, its first expressions are kept.
 */
export function noteExpressions(error: object, by: object, running: () => Iterable<Expression>) {
  const known = notes.get(error);
  if (known?.by === by) return;
  const note = known ?? { expressions: [], by };
  note.by = by;
  if (known === undefined) notes.set(error, note);
  for (const expression of running()) {
    if (note.expressions.length >= KEPT_MAX) return;
    note.expressions.push(expression);
  }
}

/**
 * Returns the places that were evaluated when an error was raised, innermost first. Each place is named once, and
 * functions that the compiler generated are named only with a line.
 */
export function placesOf(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [];
  const lines: string[] = [];
  for (const expression of expressionsOf(error)) {
    const place = expression.place?.();
    if (place === undefined || (place.line === undefined && place.definition.startsWith('$'))) {
      continue;
    }
    const { module, definition, line } = place;
    const where = line === undefined ? module : `${module}:${line}`;
    const text = `at ${definition} (${where})`;
    if (lines.at(-1) === text) continue;
    if (lines.length === LINES_MAX) return [...lines, '...'];
    lines.push(text);
  }
  return lines;
}

/** Returns the expressions of an error, or of the error that caused it. */
function expressionsOf(error: Error): readonly Expression[] {
  const own = notes.get(error)?.expressions ?? [];
  return error.cause instanceof Error ? [...expressionsOf(error.cause), ...own] : own;
}
