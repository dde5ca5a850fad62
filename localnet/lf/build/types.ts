import type { Builtin, Type } from '../types.ts';

export type { Type } from '../types.ts';

/** Stands for the package's own ID, which is not known yet because it depends on the package's bytes. */
export const SELF = '';

const builtin = (of: Builtin): Type => ({ kind: 'builtin', builtin: of });
export const app = (fun: Type, ...args: readonly Type[]): Type =>
  args.reduce<Type>((head, arg) => ({ kind: 'app', fun: head, arg }), fun);

export const unit = builtin('Unit');
export const bool = builtin('Bool');
export const int64 = builtin('Int64');
export const date = builtin('Date');
export const timestamp = builtin('Timestamp');
export const party = builtin('Party');
export const text = builtin('Text');
export const optional = (of: Type): Type => app(builtin('Optional'), of);
export const list = (of: Type): Type => app(builtin('List'), of);
export const textMap = (of: Type): Type => app(builtin('TextMap'), of);
export const genMap = (key: Type, value: Type): Type => app(builtin('GenMap'), key, value);
export const contractId = (of: Type): Type => app(builtin('ContractId'), of);
export const numeric = (scale: number): Type =>
  app(builtin('Numeric'), { kind: 'nat', value: scale });
export const arrow = (from: Type, to: Type): Type => app(builtin('Arrow'), from, to);
export const update = (of: Type): Type => app(builtin('Update'), of);
export const variable = (name: string): Type => ({ kind: 'var', name });
export const synonym = (module: string, name: string): Type => ({
  kind: 'synonym',
  id: { packageId: SELF, module, name },
  args: [],
});

/** Returns a data type or interface, given as `Module:Name`, of this package or another one. */
export function con(qualifiedName: string, packageId = SELF): Type {
  const [module = '', name = ''] = qualifiedName.split(':');
  return { kind: 'con', id: { packageId, module, name } };
}
