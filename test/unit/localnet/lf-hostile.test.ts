import { createHash } from 'node:crypto';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LedgerError } from '../../../localnet/ledger/ledger-error.ts';
import { describePackage } from '../../../localnet/lf/description.ts';
import { readDar } from '../../../localnet/lf/dar.ts';
import { libraryOf } from '../../../localnet/lf/library.ts';
import type { LfPackage } from '../../../localnet/lf/package.ts';
import { typeText } from '../../../localnet/lf/pretty.ts';
import { upgradeDefect } from '../../../localnet/lf/upgrade.ts';
import { darOf } from '../../contract/kit/dar.ts';
import { archiveOf, lfPackage, lfPackageBytes } from '../../../localnet/lf/build/package.ts';
import type { LfSource } from '../../../localnet/lf/build/package.ts';
import type { Bytes } from '../../../localnet/lf/build/tables.ts';
import { message, number, part } from '../../../localnet/lf/build/tables.ts';
import {
  app,
  con,
  contractId,
  list,
  numeric,
  optional,
  party,
  text,
  variable,
} from '../../../localnet/lf/build/types.ts';
import type { Type } from '../../../localnet/lf/build/types.ts';
import { validatePackages } from '../../../localnet/lf/validation.ts';
import { mainOnly, read, readBytes, readWhole, refusalOf, vet } from './lf-packages.ts';

/* Broken or malicious packages. Reading one of them must end in time, whether or not the package is refused. */

const CODES = new Set([
  'INVALID_DAR',
  'INVALID_ZIP_ENTRY',
  'ZIP_BOMB',
  'DAR_PARSE_ERROR',
  'DAR_VALIDATION_ERROR',
  'ALLOWED_LANGUAGE_VERSIONS',
]);
/**
 * The maximum processor time. It is far more than any of these cases takes, and far less than a case without a limit
 * would take.
 */
const PATIENCE_MS = 5_000;
/** Returns the processor time that this thread has used so far. Other work on the machine does not count. */
const usedMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

const sourceOf = (minor: number): LfSource => ({
  name: 'victim',
  version: '1.0.0',
  minor,
  modules: {
    Main: {
      data: {
        Shape: { variant: { Circle: numeric(10), Named: con('Main:Shape.Named') } },
        'Shape.Named': { record: { name: text } },
        Box: { record: { content: variable('a') }, params: ['a'] },
        View: { record: {} },
      },
      templates: {
        Thing: {
          fields: { owner: party, box: app(con('Main:Box'), list(con('Main:Shape'))) },
          choices: { Touch: { fields: { actor: party }, result: contractId(con('Main:Thing')) } },
          implements: [{ iface: con('Main:Titled'), methods: { title: text } }],
        },
      },
      interfaces: { Titled: { view: con('Main:View'), methods: { title: text } } },
    },
  },
});

/** Generates changes of a package's bytes: some bytes are changed, left out or repeated. */
const mutation = (length: number) =>
  fc.oneof(
    fc.record({ kind: fc.constant('set'), at: fc.nat(length - 1), value: fc.nat(255) }),
    fc.record({
      kind: fc.constant('cut'),
      at: fc.nat(length - 1),
      value: fc.integer({ min: 1, max: 20 }),
    }),
    fc.record({
      kind: fc.constant('twice'),
      at: fc.nat(length - 1),
      value: fc.integer({ min: 1, max: 20 }),
    }),
  );
type Mutation = { readonly kind: string; readonly at: number; readonly value: number };

function mutated(bytes: Uint8Array, mutations: readonly Mutation[]): Bytes {
  let out = Buffer.from(bytes);
  for (const { kind, at, value } of mutations) {
    if (kind === 'set') out[at % out.length] = value;
    else {
      const repeated = kind === 'twice' ? [out.subarray(at, at + value)] : [];
      out = Buffer.concat([
        out.subarray(0, at),
        ...repeated,
        out.subarray(kind === 'cut' ? at + value : at),
      ]);
    }
  }
  return new Uint8Array(out);
}

describe.each([1, 2, 3])('a mutated package in Daml-LF 2.%i', (minor) => {
  const lf = lfPackageBytes(sourceOf(minor));
  const past = readWhole(sourceOf(minor));

  test("is refused in a participant's words, or is whole", () => {
    fc.assert(
      fc.property(fc.array(mutation(lf.length), { minLength: 1, maxLength: 4 }), (mutations) => {
        const { archive } = archiveOf(mutated(lf, mutations), { minor: String(minor) });
        const { code } = refusalOf(() => readBytes(archive));
        expect(['none', ...CODES]).toContain(code);
      }),
      { numRuns: 300 },
    );
  });

  test('is shown and compared without harm, where it is whole', () => {
    fc.assert(
      fc.property(mutation(lf.length), (change) => {
        const { archive } = archiveOf(mutated(lf, [change]), { minor: String(minor) });
        const read = readIfWhole(archive);
        if (read === undefined) return;
        for (const module of read.modules.values()) {
          for (const { view } of module.interfaces.values()) typeText(view);
        }
        const defect = upgradeDefect(libraryOf([past, read]), past, read);
        expect(['string', 'undefined']).toContain(typeof defect);
      }),
      { numRuns: 300 },
    );
  });
});

function readIfWhole(archive: Bytes): LfPackage | undefined {
  let read: LfPackage | undefined;
  refusalOf(() => {
    read = readBytes(archive);
  });
  return read;
}

test("a mutated DAR is refused in a participant's words, or is whole", async () => {
  const dar = darOf([lfPackage(sourceOf(1))]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(mutation(dar.length), { minLength: 1, maxLength: 3 }),
      async (mutations) => {
        try {
          await readDar(mutated(dar, mutations));
        } catch (error) {
          expect(error).toBeInstanceOf(LedgerError);
          expect(CODES).toContain((error as LedgerError).code);
        }
      },
    ),
    { numRuns: 100 },
  );
});

test('arbitrary bytes are no archive', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      const hash = createHash('sha256').update(bytes).digest('hex');
      const archive = message(part(3, bytes), part(4, Buffer.from(hash)));
      expect(CODES).toContain(refusalOf(() => readBytes(archive)).code);
    }),
  );
});

describe('what would grow out of hand is answered in time', () => {
  const withTypes = (minor: number, entries: readonly Bytes[]) => {
    const lf = lfPackageBytes(mainOnly({ data: { Thing: { record: { a: text } } } }, { minor }));
    const types = message((writer) => writer.raw(lf), ...entries.map((entry) => part(5, entry)));
    return archiveOf(types, { minor: String(minor) }).archive;
  };
  const reference = (index: number) => message(number(8, index));
  const inTime = (work: () => unknown) => {
    const start = usedMs();
    const refusal = refusalOf(work);
    expect(usedMs() - start).toBeLessThan(PATIENCE_MS);
    return refusal;
  };

  test('types that hold themselves twice, sixty times over', () => {
    const entry = (index: number) =>
      message(part(9, message(part(1, reference(index)), part(2, reference(index)))));
    const entries = Array.from({ length: 60 }, (_, index) => entry(index));
    expect(inTime(() => readBytes(withTypes(2, entries))).code).toBe('none');
  });

  test('a hundred thousand types in each other', () => {
    const entries = Array.from({ length: 100_000 }, (_, index) =>
      message(part(3, message(number(1, 9), part(2, reference(index))))),
    );
    expect(inTime(() => readBytes(withTypes(1, entries))).code).toBe('none');
  });

  /**
   * Returns a package to which bytes are appended: an entry that is repeated many times, but is small after
   * compression.
   */
  const withMore = (more: Uint8Array, minor = 1) => {
    const lf = lfPackageBytes(mainOnly({ data: { Thing: { record: { a: text } } } }, { minor }));
    return archiveOf(Buffer.concat([lf, more]), { minor: String(minor) }).archive;
  };
  const often = (...entry: readonly number[]) =>
    Buffer.alloc(entry.length * 2_100_000, Buffer.from(entry));
  const [STRINGS, NAMES, TYPES, MODULES, METADATA, IMPORTS] = [0x12, 0x1a, 0x2a, 0x0a, 4, 9];
  const [TOO_MUCH, TOO_MANY] = ['too much in its tables', 'too many fields'];

  test.each<[string, () => Bytes, string]>([
    ['strings', () => withMore(often(STRINGS, 0)), TOO_MUCH],
    ['names', () => withMore(often(NAMES, 0)), TOO_MUCH],
    ['types', () => withMore(often(TYPES, 0)), TOO_MUCH],
    ['modules', () => withMore(often(MODULES, 0)), TOO_MUCH],
    ['imported packages', () => withMore(message(part(IMPORTS, often(0x0a, 0))), 2), TOO_MANY],
    ['fields of its metadata', () => withMore(message(part(METADATA, often(8, 0)))), TOO_MANY],
    ['segments of a name', () => withMore(message(part(3, message(part(1, often(0)))))), TOO_MANY],
    ['fields of the archive', () => new Uint8Array(often(8, 0)), TOO_MANY],
  ])('two million %s', (_what, archive, why) => {
    expect(inTime(() => readBytes(archive()))).toEqual({
      code: 'DAR_VALIDATION_ERROR',
      why: expect.stringContaining(why) as string,
    });
  });

  test('twenty packages of a hundred thousand strings each, which are too much together', async () => {
    const strings = Buffer.alloc(2 * 100_000, Buffer.from([STRINGS, 0]));
    const filled = (index: number) => {
      const lf = lfPackageBytes(mainOnly({}, { name: `made-${index}` }));
      return archiveOf(Buffer.concat([lf, strings]), { minor: '1' });
    };
    const dar = darOf(Array.from({ length: 20 }, (_, index) => filled(index)));
    await expect(readDar(dar)).rejects.toMatchObject({
      code: 'DAR_VALIDATION_ERROR',
      metadata: { validationError: expect.stringContaining(TOO_MUCH) as string },
    });
  });

  test('a field of many layers, also when it is compared', () => {
    let type: Type = text;
    for (let layer = 0; layer < 300; layer += 1) type = optional(type);
    const of = () => readWhole(mainOnly({ data: { Thing: { record: { a: type } } } }));
    const [past, present] = [of(), of()];
    expect(upgradeDefect(libraryOf([past, present]), past, present)).toBeUndefined();
  });

  test('five thousand synonyms in a circle', () => {
    const synonyms = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index): [string, Type] => [
        `S${index}`,
        {
          kind: 'synonym',
          id: { packageId: '', module: 'Main', name: `S${(index + 1) % 5_000}` },
          args: [],
        },
      ]),
    );
    expect(inTime(() => readWhole(mainOnly({ synonyms }))).why).toContain('cycle in type synonym');
  });

  const times = <T>(count: number, of: (index: number) => readonly [string, T]) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => of(index)));
  /** One type with many layers. A package stores it once, however often it is used. */
  const deep = Array.from({ length: 300 }).reduce<Type>((type) => optional(type), text);

  test('twenty thousand fields of one type of many layers', () => {
    const record = times(20_000, (index) => [`f${index}`, deep]);
    expect(inTime(() => readWhole(mainOnly({ data: { Thing: { record } } }))).why).toContain(
      'the types of its definitions are too large',
    );
  });

  test('forty thousand synonyms of one type of many layers', () => {
    const synonyms = times(40_000, (index) => [`S${index}`, deep]);
    const made = read(mainOnly({ synonyms }));
    const start = usedMs();
    validatePackages([made]);
    expect(usedMs() - start).toBeLessThan(1_000);
  });

  test('thousands of types and templates, constructors and fields, when they are compared', () => {
    const versionOf = (version: string) => {
      const count = 5_000;
      const named = times(count, (index) => [`C${index}`, con(`Main:V.C${index}`)]);
      const records = times(count, (index) => [`V.C${index}`, { record: { a: text } }]);
      const data = {
        V: { variant: named },
        E: { enum: Array.from({ length: count }, (_, index) => `E${index}`) },
        ...records,
      };
      const templates = times(2_500, (index) => [`T${index}`, { fields: { owner: party } }]);
      return readWhole(mainOnly({ data, templates }, { version }));
    };
    const [past, present] = [versionOf('1.0.0'), versionOf('1.0.1')];
    const start = usedMs();
    expect(upgradeDefect(libraryOf([past, present]), past, present)).toBeUndefined();
    expect(usedMs() - start).toBeLessThan(1_500);
  });

  interface Handmade {
    readonly version?: string;
    readonly minor?: number;
    /** Entries of the table of types. They are numbered from 1, because number 0 is the type of texts. */
    readonly entries: readonly Bytes[];
    /** For each record, the types of its fields. */
    readonly records: readonly (readonly number[])[];
  }
  /** Returns a package that contains a module with records. The types of their fields are encoded by hand. */
  function handmade(made: Handmade): LfPackage {
    const { version = '1.0.0', minor = 1, entries, records } = made;
    const source = mainOnly({ data: { Thing: { record: { a: text } } } }, { version, minor });
    const lf = lfPackageBytes(source);
    const most = Math.max(...records.map((types) => types.length));
    const names = records.map((_, index) => `D${index}`);
    // In the package, five strings, two names and one type come before these.
    const strings = [
      'Hostile',
      ...names,
      ...Array.from({ length: most }, (_, index) => `f${index}`),
    ];
    const [ownName, firstField] = [2, 6 + names.length];
    const segment = (index: number) => {
      const writer = new BinaryWriter();
      return part(3, message(part(1, writer.uint32(5 + index).finish())));
    };
    const recordOf = (types: readonly number[]) =>
      message(
        ...types.map((type, at) =>
          part(1, message(part(2, reference(type)), number(3, firstField + at))),
        ),
      );
    const module = message(
      number(1, ownName),
      part(2, message(number(1, 1), number(2, 1), number(3, 1))),
      ...records.map((types, index) =>
        part(4, message(number(2, ownName + 1 + index), number(4, 1), part(5, recordOf(types)))),
      ),
    );
    const bytes = message(
      (writer) => writer.raw(lf),
      ...strings.map((each) => part(2, Buffer.from(each))),
      ...strings.slice(0, 1 + names.length).map((_, index) => segment(index)),
      ...entries.map((entry) => part(5, entry)),
      part(1, module),
    );
    return readBytes(archiveOf(bytes, { minor: String(minor) }).archive);
  }
  const builtin = (of: number, ...args: readonly number[]) =>
    message(part(3, message(number(1, of), ...args.map((arg) => part(2, reference(arg))))));
  const [CONTRACT_ID, OPTIONAL, GEN_MAP] = [8, 9, 11];

  /** A record in two versions, whose types have the same parts in a different order. */
  function manyWays(version: string, factor: number): LfPackage {
    const [copies, levels] = [2_000, 24];
    const entries = Array.from({ length: copies * levels }, (_, index) => {
      const [level, at] = [Math.floor(index / copies), index % copies];
      const below = (to: number) => (level === 0 ? 0 : 1 + (level - 1) * copies + (to % copies));
      return builtin(GEN_MAP, below(at * factor), below(at * factor + 1));
    });
    return handmade({ version, entries, records: [[entries.length - copies + 1]] });
  }

  test('types that are the same in millions of ways, when they are compared', () => {
    const [past, present] = [manyWays('1.0.0', 2), manyWays('1.0.1', 3)];
    expect(inTime(() => vet(present, [past]))).toMatchObject({
      code: 'NOT_VALID_UPGRADE_PACKAGE',
      why: expect.stringContaining('too large to be compared') as string,
    });
  });

  test('twenty thousand definitions of one type of many layers, when they are compared', () => {
    const layers = Array.from({ length: 5_000 }, (_, index) => builtin(OPTIONAL, index));
    const entries = [...layers, builtin(CONTRACT_ID, layers.length)];
    const records = Array.from({ length: 20_000 }, () => [entries.length]);
    const of = (version: string) => handmade({ version, entries, records });
    const [past, present] = [of('1.0.0'), of('1.0.1')];
    expect(inTime(() => vet(present, [past])).code).toBe('none');
  });

  test('seven hundred interfaces, each of which requires all before it', () => {
    const names = Array.from({ length: 700 }, (_, index) => con(`Main:I${index}`));
    const interfaces = times(names.length, (index) => [
      `I${index}`,
      { view: con('Main:View'), requires: names.slice(0, index) },
    ]);
    const source = mainOnly({ data: { View: { record: {} } }, interfaces });
    expect(inTime(() => readWhole(source)).why).toContain('require too many others');
  });

  test('short fields with long names before them', () => {
    const long = (name: string) => name.padEnd(900, '_');
    const record = times(300, (index) => [long(`f${index}`), text]);
    const data = times(300, (index) => [long(`D${index}`), { record }]);
    const source = { ...mainOnly({}), modules: { [long('Main')]: { data } } };
    expect(inTime(() => readWhole(source)).why).toContain('names of its definitions are too long');
  });

  test('thirty thousand types, each with one more argument, when they are described', () => {
    const count = 30_000;
    const apply = (fun: number, arg: number) =>
      message(part(9, message(part(1, reference(fun)), part(2, reference(arg)))));
    const applied = Array.from({ length: count }, (_, index) =>
      apply(index === 0 ? 0 : index + 1, 0),
    );
    const ids = applied.map((_, index) => apply(1, index + 2));
    const made = handmade({
      minor: 2,
      entries: [builtin(CONTRACT_ID), ...applied, ...ids],
      records: [ids.map((_, index) => count + index + 2)],
    });
    const start = usedMs();
    const { modules } = describePackage(made);
    expect(usedMs() - start).toBeLessThan(1_000);
    const parts = modules[1]?.types[0]?.parts ?? [];
    expect(parts[0]).toEqual({ name: 'f0', type: 'ContractId (Text Text)' });
    expect(parts.at(-1)).toEqual({ name: `f${count - 1}`, type: '…' });
  });

  test('a name of a million segments, each a long string', () => {
    const lf = lfPackageBytes(mainOnly({ data: { Thing: { record: { a: text } } } }));
    const strings = ['Main', 'a'.repeat(1_000_000)];
    // In the package, five strings and two names come before these.
    const hostile = message(
      part(1, message(number(1, 2))),
      (writer) => writer.raw(lf),
      ...strings.map((each) => part(2, Buffer.from(each))),
      part(3, message(part(1, Buffer.alloc(1_000_000, 6)))),
    );
    const { archive } = archiveOf(hostile, { minor: '1' });
    expect(inTime(() => readBytes(archive))).toEqual({
      code: 'DAR_PARSE_ERROR',
      why: 'DottedName is too long (max: 1000)',
    });
  });
});
