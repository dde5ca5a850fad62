import { int64, record } from './lf-types.ts';
import type { LfValue } from './lf-types.ts';
import { definePackage, typeNamer } from './package-definition.ts';

const PACKAGE_NAME = 'daml-stdlib-DA-Time-Types';
const named = typeNamer(PACKAGE_NAME);

/** A length of time. */
export const RelTime = record(named('DA.Time.Types:RelTime'), { microseconds: int64 });
export type RelTime = LfValue<typeof RelTime>;

/** The package of Daml's standard library that `RelTime` is from. */
export const timeTypesPackage = definePackage({ name: PACKAGE_NAME, version: '1.0.0' });
