import { NEWEST_MODEL } from '../../src/app/licensing/model.ts';
import { describe, expect, test } from 'vitest';
import { asItWas } from '../../machines/machine-kit.ts';
import type { LifecycleDescription } from '../../machines/machine-kit.ts';
import { migrate } from '../../machines/migrate.ts';
import { describe as describeKind, step } from './kit/machines.ts';
import { allowedNow } from '../../src/app/engine/lanes/allowed.ts';
import { ProblemError } from '../../src/domain/problems.ts';
import { LIFECYCLE_KINDS } from '../../src/domain/licensing.ts';
import type { LifecycleKind } from '../../src/domain/lifecycle.ts';
import { recordedShape, recordedShapeFiles } from './kit/recorded.ts';
import { shapeOf } from './kit/shape.ts';
import type { Shape } from './kit/shape.ts';
import { isFact, walkOf } from './kit/walks.ts';

/** Returns instructions for a person who has changed a machine. */
const advice = (kind: LifecycleKind): string => {
  const { version } = describeKind(kind);
  return [
    `machines/${kind}.machine.ts is not what was recorded as version ${version}.`,
    'Snapshots of that version are in databases. If the change is meant:',
    `1. raise \`version\` to ${version + 1};`,
    `2. append to \`migrations\` what makes of a snapshot of version ${version} one of ${version + 1}`,
    '   (`asItWas` where the new machine reads it as it is);',
    `3. record the new version: node test/histories/record.ts shapes`,
    `   (a version that was never released may be recorded again: delete its file first).`,
  ].join('\n');
};

/**
 * Returns a recorded version without its steps. The set of steps that the test walks may have grown since the
 * recording, which alone is no reason to record the version again.
 */
const structure = ({ steps: _steps, ...rest }: Shape) => rest;

describe.each(LIFECYCLE_KINDS.map((kind) => ({ kind })))('$kind', ({ kind }) => {
  const { version } = describeKind(kind);
  const recorded = recordedShape(kind, version);

  test('is what was recorded of its version', () => {
    expect(recorded, advice(kind)).toBeDefined();
    expect(structure(shapeOf(kind)), advice(kind)).toEqual(structure(recorded!));
  });

  test('does what was recorded of its version', () => {
    for (const { from, event, to, effects } of recorded?.steps ?? []) {
      const made = step(kind, { machineVersion: version, ...from }, event);
      const now = { to: made?.snapshot ?? null, effects: made?.effects ?? [] };
      const then = { to: to === null ? null : { machineVersion: version, ...to }, effects };
      expect(now, `${JSON.stringify(event)} in ${from.state}\n${advice(kind)}`).toEqual(then);
    }
  });

  const versions = Array.from({ length: version }, (_, n) => ({ version: n + 1 }));

  test.each(versions)('goes on with snapshots of version $version', ({ version }) => {
    const then = recordedShape(kind, version);
    expect(then, `version ${version} of ${kind} was never recorded`).toBeDefined();
    for (const { from, to } of then!.steps) {
      for (const place of to === null ? [from] : [from, to]) {
        const at = { machineVersion: version, ...place };
        const facts = walkOf(kind).events.filter(isFact);
        const isEnd = then!.final.includes(place.state);
        const ends = facts.some((fact) => step(kind, at, fact)?.isFinal);
        expect(ends, `${place.state} of version ${version} has a way to the end`).toBe(!isEnd);
      }
    }
  });
});

test('what is recorded is of versions that there are', () => {
  const known = LIFECYCLE_KINDS.flatMap((kind) =>
    Array.from({ length: describeKind(kind).version }, (_, n) => `${kind}.v${n + 1}.json`),
  );
  expect(recordedShapeFiles().sort()).toEqual(known.sort());
});

/** A machine of which a state was renamed and, in a later version, the context got another member. */
const made: Pick<LifecycleDescription, 'kind' | 'version' | 'migrations'> = {
  kind: 'license',
  version: 4,
  migrations: [
    ({ state, context }) => ({ state: state === 'open' ? 'active' : state, context }),
    asItWas,
    ({ state, context }) => ({ state, context: { ...context, grace: 'P1D' } }),
  ],
};

describe('a snapshot that another version has stored', () => {
  test.each([
    [1, { state: 'active', context: { n: 1, grace: 'P1D' } }],
    [2, { state: 'open', context: { n: 1, grace: 'P1D' } }],
    [3, { state: 'open', context: { n: 1, grace: 'P1D' } }],
    [4, { state: 'open', context: { n: 1 } }],
  ])('of version %i goes through every migration since, and no other', (machineVersion, then) => {
    const at = { machineVersion, state: 'open', context: { n: 1 } };
    expect(migrate(made, at)).toEqual({ machineVersion: 4, ...then });
    expect(at).toEqual({ machineVersion, state: 'open', context: { n: 1 } });
  });

  test('of a newer version is refused: an older process must not guess, nor overwrite', () => {
    const at = { machineVersion: 5, state: 'active', context: {} };
    const refused = expect.objectContaining({
      details: expect.objectContaining({
        code: 'STORED_BY_NEWER',
        status: 503,
        message: 'license: stored by version 5 of its machine; this process knows 4',
      }),
    });
    expect(() => migrate(made, at)).toThrow(refused);
  });

  test('without a migration to every version there is no description', () => {
    const at = { machineVersion: 1, state: 'active', context: {} };
    expect(() => migrate({ ...made, version: 5 }, at)).toThrow(/every version/u);
  });

  test.each(LIFECYCLE_KINDS)('%s: steps and what may be done refuse a newer one', (kind) => {
    const [first] = recordedShape(kind, 1)!.steps;
    const at = { ...first!.from, machineVersion: describeKind(kind).version + 1 };
    expect(() => step(kind, at, first!.event)).toThrow(ProblemError);
    const lifecycle = { ...at, kind, endedAt: null } as unknown as Parameters<typeof allowedNow>[1];
    const now = { nowMs: 0, certainMs: 0, around: [], body: {} };
    expect(() => allowedNow(NEWEST_MODEL, lifecycle, now)).toThrow(ProblemError);
  });
});
