import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import type { LifecycleKind } from '../../../src/domain/lifecycle.ts';
import type { Story } from './life-story.ts';
import type { Shape } from './shape.ts';

/*
 * Recorded machines and lifecycles in test/histories: see README.md there. Each file is written once, and later
 * versions of the code are compared with it.
 */

const FOLDER = new URL('../../histories/', import.meta.url);
const SHAPES = new URL('shapes/', FOLDER);

const shapeFile = (kind: LifecycleKind, version: number): URL =>
  new URL(`${kind}.v${version}.json`, SHAPES);

/** Formats JSON with one list element on each line, so that differences between files can be read. */
export function readable(value: object): string {
  const members = Object.entries(value).map(([key, member]) => {
    const text = Array.isArray(member)
      ? `[\n${member.map((element) => `    ${JSON.stringify(element)}`).join(',\n')}\n  ]`
      : JSON.stringify(member, null, 2).replaceAll('\n', '\n  ');
    return `  ${JSON.stringify(key)}: ${text}`;
  });
  return `{\n${members.join(',\n')}\n}\n`;
}

/** Returns a recorded shape; `undefined` if that version was never recorded. */
export function recordedShape(kind: LifecycleKind, version: number): Shape | undefined {
  const file = shapeFile(kind, version);
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, 'utf8')) as Shape;
}

/** Returns the file names of all recorded shapes. */
export const recordedShapeFiles = (): string[] =>
  readdirSync(SHAPES).filter((name) => name.endsWith('.json'));

export const recordShape = (shape: Shape): void =>
  writeFileSync(shapeFile(shape.kind, shape.version), readable(shape));

/** Integers of the ledger that are so small that the files contain them as numbers. */
const INTEGERS: ReadonlySet<string> = new Set(['offset', 'licenseNum']);

const toJson = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? Number(value) : value;

const fromJson = (key: string, value: unknown): unknown =>
  INTEGERS.has(key) && typeof value === 'number' ? BigInt(value) : value;

/** Shortens contract IDs and fingerprints. Their first digits are sufficient to distinguish them. */
const shortened = (json: string): string =>
  json
    .replaceAll(/\b(00[0-9a-f]{64})[0-9a-f]{64,}\b/gu, '$1')
    .replaceAll(/::(1220[0-9a-f]{8})[0-9a-f]{56}\b/gu, '::$1');

/** Returns the story as if it had been written to a file and read again. */
export const throughJson = (story: Story): Story =>
  JSON.parse(shortened(JSON.stringify(story, toJson)), fromJson) as Story;

const storyFile = (name: string): URL => new URL(`${name}.json`, FOLDER);

export const recordedStories = (): string[] =>
  readdirSync(FOLDER).flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -5)] : []));

export const recordedStory = (name: string): Story =>
  JSON.parse(readFileSync(storyFile(name), 'utf8'), fromJson) as Story;

export const recordStory = (story: Story): void =>
  writeFileSync(
    storyFile(story.name),
    readable(JSON.parse(JSON.stringify(story, toJson)) as object),
  );
