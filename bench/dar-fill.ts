import { darOf } from '../test/contract/kit/dar.ts';
import { lfPackage } from '../localnet/lf/build/package.ts';
import type { Bytes } from '../localnet/lf/build/tables.ts';
import type { LfSource, MadePackage, ModuleSource } from '../localnet/lf/build/package.ts';
import { message, number, part } from '../localnet/lf/build/tables.ts';
import { con, contractId, int64, list, optional, party, text } from '../localnet/lf/build/types.ts';
import type { Type } from '../localnet/lf/build/types.ts';

/* Creates DARs of the size of published ones: with as many packages, values, types and layers, in Daml-LF 2.1. */

/**
 * The numbers of values in the packages of a DAR: two packages are as large as a standard library, one is the main
 * package, and the others are small.
 */
const LIBRARY_VALUES = [3_800, 2_200] as const;
const MAIN_VALUES = 2_600;
const SMALL_PACKAGES = 34;
const SMALL_VALUES = 45;
/** The number of values for which there is one data type. */
const VALUES_PER_TYPE = 12;
const MODULE_VALUES = 120;
const TEMPLATES = 24;
/** The index of the string that expressions use. It comes after the package's name and version. */
const NAME_INDEX = 2;

const variable: Bytes = message(number(2, NAME_INDEX));
const place: Bytes = message(
  part(2, message(number(1, 10), number(2, 4), number(3, 10), number(4, 60))),
);

/** Returns an application with its source location, which a compiler writes too. */
const applied = (fun: Bytes, ...args: readonly Bytes[]): Bytes =>
  message(part(1, place), part(15, message(part(1, fun), ...args.map((each) => part(2, each)))));

/** Returns nested projections. Each of them is one of an application that contains the next projection. */
function nested(layers: number): Bytes {
  let inner = applied(variable, variable);
  for (let layer = 0; layer < layers; layer += 1) {
    inner = message(part(13, message(part(2, applied(variable, inner, variable)))));
  }
  return inner;
}

/**
 * The numbers of layers that values have. As in compiled code, most values have few layers, and few values have many.
 */
const DEPTHS = [0, 1, 1, 2, 2, 3, 3, 4, 5, 8, 13, 40];
const BODIES = DEPTHS.map(nested);

function moduleOf(of: number, values: number, types: readonly Type[]): ModuleSource {
  const name = (kind: string, index: number) => `${kind}${of}x${index}`;
  const bodies = Array.from({ length: values }, (_, index): [string, Bytes] => [
    name('value', index),
    BODIES[index % BODIES.length] ?? variable,
  ]);
  const data = Array.from({ length: Math.ceil(values / VALUES_PER_TYPE) }, (_, index) => {
    const record = { owner: party, title: text, count: int64, more: optional(list(text)) };
    const foreign = types[index % Math.max(types.length, 1)];
    return [
      name('Type', index),
      { record: foreign === undefined ? record : { ...record, foreign } },
    ] as const;
  });
  return { values: Object.fromEntries(bodies), data: Object.fromEntries(data) };
}

function sourceOf(name: string, version: string, values: number, types: readonly Type[]): LfSource {
  const count = Math.ceil(values / MODULE_VALUES);
  const modules = Array.from({ length: count }, (_, index): [string, ModuleSource] => [
    `Made.Module${index}`,
    moduleOf(index, Math.min(MODULE_VALUES, values - index * MODULE_VALUES), types),
  ]);
  return { name, version, modules: Object.fromEntries(modules), strings: ['name'] };
}

/** Returns the packages on which every DAR depends. */
export function madeLibraries(): readonly MadePackage[] {
  const libraries = LIBRARY_VALUES.map((values, index) =>
    lfPackage(sourceOf(`made-library-${index}`, '1.0.0', values, [])),
  );
  const types = libraries.map(({ id }) => con('Made.Module0:Type0x0', id));
  const small = Array.from({ length: SMALL_PACKAGES }, (_, index) =>
    lfPackage(sourceOf(`made-part-${index}`, '1.0.0', SMALL_VALUES, types)),
  );
  return [...libraries, ...small];
}

/** Returns a DAR with 37 packages. One of them is in no other DAR. */
export function madeDar(name: string, version: string, libraries: readonly MadePackage[]): Bytes {
  const types = libraries.map(({ id }) => con('Made.Module0:Type0x0', id));
  const source = sourceOf(name, version, MAIN_VALUES, types);
  const templates = Array.from({ length: TEMPLATES }, (_, index) => [
    `Thing${index}`,
    {
      fields: { owner: party, things: list(con(`Main:Thing${index}`)) },
      choices: {
        [`Touch${index}`]: { fields: { actor: party }, result: text },
        [`Give${index}`]: {
          fields: { to: party },
          result: contractId(con(`Main:Thing${index}`)),
        },
      },
    },
  ]);
  const modules = { ...source.modules, Main: { templates: Object.fromEntries(templates) } };
  return darOf([lfPackage({ ...source, modules }), ...libraries]);
}
