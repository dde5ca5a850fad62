import { genMap, int64, record, unit } from './lf-types.ts';
import type { LfType, LfValue } from './lf-types.ts';
import { definePackage, typeNamer } from './package-definition.ts';
import type { PackageDefinition } from './package-definition.ts';

const TIMES_PACKAGE_NAME = 'daml-stdlib-DA-Time-Types';
const TUPLES_PACKAGE_NAME = 'daml-prim-DA-Types';
const SETS_PACKAGE_NAME = 'daml-stdlib-DA-Set-Types';

const named = typeNamer(TIMES_PACKAGE_NAME);

/** A duration in microseconds. */
export const RelTime = record(named('DA.Time.Types:RelTime'), { microseconds: int64 });
export type RelTime = LfValue<typeof RelTime>;

const tupleNamed = typeNamer(TUPLES_PACKAGE_NAME);

export const tuple2 = <A, B>(first: LfType<A>, second: LfType<B>) =>
  record(tupleNamed('DA.Types:Tuple2'), { _1: first, _2: second });

const setNamed = typeNamer(SETS_PACKAGE_NAME);

/** Returns the type of sets with items of the given type, in the order of the items. */
export const setOf = <T>(of: LfType<T>) =>
  record(setNamed('DA.Set.Types:Set'), { map: genMap(of, unit) });

/** The packages of Daml's standard library that contain these types. */
export const STANDARD_LIBRARY_PACKAGES: readonly PackageDefinition[] = [
  definePackage({
    name: TIMES_PACKAGE_NAME,
    version: '1.0.0',
    publishedId: 'b70db8369e1c461d5c70f1c86f526a29e9776c655e6ffc2560f95b05ccb8b946',
  }),
  definePackage({
    name: TUPLES_PACKAGE_NAME,
    version: '1.0.0',
    publishedId: '5aee9b21b8e9a4c4975b5f4c4198e6e6e8469df49e2010820e792f393db870f4',
  }),
  definePackage({
    name: SETS_PACKAGE_NAME,
    version: '1.0.0',
    publishedId: 'c3bb0c5d04799b3f11bad7c3c102963e115cf53da3e4afcbcfd9f06ebd82b4ff',
  }),
];
