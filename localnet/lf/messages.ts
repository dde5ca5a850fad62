/*
 * The messages of the Daml-LF archive format, versions 2.1 to 2.3, by field number. They are described as far as a
 * reader needs them to detect malformed packages and to find definitions. Field numbers are those of the format's
 * public description.
 */

/**
 * The content of a field:
 * - `Name`: a message of that type
 * - `int`, `fixed64`, `text`, `bytes`: a number, eight bytes, UTF-8, any bytes
 * - `#text`, `#name`, `#numeric`: an index of the table of strings, for any text, a name, or a decimal number
 * - `#package`, `#packageId`: an index of a package ID, for a package that is referred to, or for an ID that is
 *   only named
 * - `#names`: several names
 * - `#dotted`, `#import`, `#kind`, `#type`, `#expr`: an index of another table
 * - `#defined`: as `#dotted`, for a name that a module may define only once
 * - `function`, `con`, `category`, `date`, `timestamp`: a number with few permitted values, or with bounds
 * - `immediate`: an index where a table must contain the entry itself
 *
 * A suffix `!` marks a message that must be present. `@2`, `@3` and `@dev` give the minor version of the language
 * that introduced the field.
 */
export type FieldText = string;
export type MessageText = Readonly<Record<number, FieldText>>;

const BY_TYPE = { 1: 'InternedType!', 2: 'Expr!' };
const WITH_TYPE = { 3: '#name', 2: 'InternedType!' };
const TYPE_WITH_NAME = { 3: '#name', 2: 'Type!' };
const NAMED = { 1: 'ModuleId!', 2: '#dotted' };
const OF_INTERFACE = { 1: 'TypeConId!', 2: 'Expr!' };
const REQUIRED_INTERFACE = { 1: 'TypeConId!', 2: 'TypeConId!', 3: 'Expr!' };
const BY_KEY = { 1: 'TypeConId!' };
const APPLIED = { 1: 'TypeConId!', 2: 'Type' };
const LET = { 1: 'Binding', 2: 'Expr!' };

const NAMES_AND_TYPES: Readonly<Record<string, MessageText>> = {
  Unit: {},
  SelfOrImportedPackageId: { 1: 'Unit', 3: '#package', 4: '#import@2' },
  ModuleId: { 1: 'SelfOrImportedPackageId!', 2: '#dotted' },
  TypeConId: NAMED,
  TypeSynId: NAMED,
  ValueId: NAMED,
  FieldWithType: WITH_TYPE,
  VarWithType: WITH_TYPE,
  TypeVarWithKind: { 3: '#name', 2: 'Kind!' },
  'Kind.Arrow': { 1: 'Kind', 2: 'Kind!' },
  Kind: { 1: 'Unit', 2: 'Kind.Arrow', 3: 'Unit', 4: '#kind@2' },
  'Type.Var': { 3: '#name', 2: 'Type' },
  'Type.Con': APPLIED,
  'Type.Syn': { 1: 'TypeSynId!', 2: 'Type' },
  'Type.Builtin': { 1: 'int', 2: 'Type' },
  'Type.Forall': { 1: 'TypeVarWithKind', 2: 'Type!' },
  'Type.Struct': { 1: 'FieldOfStruct' },
  'Type.TApp': { 1: 'Type!', 2: 'Type!' },
  Type: {
    1: 'Type.Var',
    2: 'Type.Con',
    3: 'Type.Builtin',
    4: 'Type.Forall',
    5: 'Type.Struct',
    6: 'int',
    7: 'Type.Syn',
    8: '#type',
    9: 'Type.TApp@2',
  },
  FieldOfStruct: TYPE_WITH_NAME,
  // Outside their own table, types are given as indexes of the table.
  InternedType: { 8: '#type' },
  'Expr.Con': { 1: 'TypeConId!', 2: 'InternedType' },
};

const EXPRESSIONS: Readonly<Record<string, MessageText>> = {
  FieldWithExpr: { 3: '#name', 2: 'Expr!' },
  Binding: { 1: 'VarWithType!', 2: 'Expr!' },
  BuiltinLit: {
    1: 'int',
    2: 'timestamp',
    3: '#numeric',
    4: '#text',
    5: 'date',
    6: 'category',
    1001: 'int@dev',
  },
  Location: { 1: 'ModuleId', 2: 'Location.Range' },
  'Location.Range': { 1: 'int', 2: 'int', 3: 'int', 4: 'int' },
  'Expr.RecCon': { 1: 'Expr.Con!', 2: 'FieldWithExpr' },
  'Expr.RecProj': { 1: 'Expr.Con!', 4: '#name', 3: 'Expr!' },
  'Expr.RecUpd': { 1: 'Expr.Con!', 2: '#name', 3: 'Expr!', 4: 'Expr!' },
  'Expr.VariantCon': { 1: 'Expr.Con!', 2: '#name', 3: 'Expr!' },
  'Expr.EnumCon': { 1: 'TypeConId!', 2: '#name' },
  'Expr.StructCon': { 1: 'FieldWithExpr' },
  'Expr.StructProj': { 1: '#name', 2: 'Expr!' },
  'Expr.StructUpd': { 1: '#name', 2: 'Expr!', 3: 'Expr!' },
  'Expr.App': { 1: 'Expr!', 2: 'Expr' },
  'Expr.TyApp': { 1: 'Expr!', 2: 'InternedType' },
  'Expr.Abs': { 1: 'VarWithType', 2: 'Expr!' },
  'Expr.TyAbs': { 1: 'TypeVarWithKind', 2: 'Expr!' },
  'Expr.Nil': { 1: 'InternedType!' },
  'Expr.Cons': { 1: 'InternedType!', 2: 'Expr', 3: 'Expr!' },
  'Expr.OptionalNone': { 1: 'InternedType!' },
  'Expr.OptionalSome': BY_TYPE,
  'Expr.ToAny': BY_TYPE,
  'Expr.FromAny': BY_TYPE,
  'Expr.ToAnyException': BY_TYPE,
  'Expr.FromAnyException': BY_TYPE,
  'Expr.Throw': { 1: 'InternedType!', 2: 'InternedType!', 3: 'Expr!' },
  'Expr.ToInterface': REQUIRED_INTERFACE,
  'Expr.FromInterface': REQUIRED_INTERFACE,
  'Expr.CallInterface': { 1: 'TypeConId!', 2: '#name', 3: 'Expr!' },
  'Expr.ViewInterface': OF_INTERFACE,
  'Expr.SignatoryInterface': OF_INTERFACE,
  'Expr.ObserverInterface': OF_INTERFACE,
  'Expr.UnsafeFromInterface': { 1: 'TypeConId!', 2: 'TypeConId!', 3: 'Expr!', 4: 'Expr!' },
  'Expr.ToRequiredInterface': REQUIRED_INTERFACE,
  'Expr.FromRequiredInterface': REQUIRED_INTERFACE,
  'Expr.UnsafeFromRequiredInterface': { 1: 'TypeConId!', 2: 'TypeConId!', 3: 'Expr!', 4: 'Expr!' },
  'Expr.InterfaceTemplateTypeRep': OF_INTERFACE,
  Expr: {
    1: 'Location',
    2: '#name',
    3: 'ValueId',
    4: 'function',
    5: 'con',
    6: 'BuiltinLit',
    7: 'Expr.RecCon',
    8: 'Expr.RecProj',
    9: 'Expr.RecUpd',
    10: 'Expr.VariantCon',
    11: 'Expr.EnumCon',
    12: 'Expr.StructCon',
    13: 'Expr.StructProj',
    14: 'Expr.StructUpd',
    15: 'Expr.App',
    16: 'Expr.TyApp',
    17: 'Expr.Abs',
    18: 'Expr.TyAbs',
    19: 'Case',
    20: 'Expr.Let',
    21: 'Expr.Nil',
    22: 'Expr.Cons',
    23: 'Update',
    25: 'Expr.OptionalNone',
    26: 'Expr.OptionalSome',
    27: 'Expr.ToAny',
    28: 'Expr.FromAny',
    29: 'InternedType',
    30: 'Expr.ToAnyException',
    31: 'Expr.FromAnyException',
    32: 'Expr.Throw',
    33: 'Expr.ToInterface',
    34: 'Expr.FromInterface',
    35: 'Expr.CallInterface',
    36: 'Expr.SignatoryInterface',
    37: 'Expr.ObserverInterface',
    38: 'Expr.ViewInterface',
    39: 'Expr.UnsafeFromInterface',
    40: 'Expr.InterfaceTemplateTypeRep',
    41: 'Expr.ToRequiredInterface',
    42: 'Expr.FromRequiredInterface',
    43: 'Expr.UnsafeFromRequiredInterface',
    44: '#expr@2',
    1001: 'bytes@dev',
    1002: 'bytes@dev',
    9999: 'bytes@dev',
  },
  'CaseAlt.Variant': { 1: 'TypeConId!', 2: '#name', 3: '#name' },
  'CaseAlt.Enum': { 1: 'TypeConId!', 2: '#name' },
  'CaseAlt.Cons': { 1: '#name', 2: '#name' },
  'CaseAlt.OptionalSome': { 1: '#name' },
  CaseAlt: {
    1: 'Expr!',
    2: 'Unit',
    3: 'CaseAlt.Variant',
    4: 'con',
    5: 'Unit',
    6: 'CaseAlt.Cons',
    7: 'Unit',
    8: 'CaseAlt.OptionalSome',
    9: 'CaseAlt.Enum',
  },
  Case: { 1: 'Expr!', 2: 'CaseAlt' },
  Block: LET,
  'Expr.Let': LET,
};

const UPDATES: Readonly<Record<string, MessageText>> = {
  Pure: BY_TYPE,
  'Update.Create': { 1: 'TypeConId!', 2: 'Expr!' },
  'Update.CreateInterface': { 1: 'TypeConId!', 2: 'Expr!' },
  'Update.Exercise': { 1: 'TypeConId!', 6: '#name', 3: 'Expr!', 5: 'Expr!' },
  'Update.ExerciseInterface': {
    1: 'TypeConId!',
    2: '#name',
    3: 'Expr!',
    4: 'Expr!',
    5: 'Expr@dev',
  },
  'Update.ExerciseByKey': { 1: 'TypeConId!', 2: '#name', 3: 'Expr!', 4: 'Expr!' },
  'Update.Fetch': { 1: 'TypeConId!', 2: 'Expr!' },
  'Update.FetchInterface': { 1: 'TypeConId!', 2: 'Expr!' },
  'Update.EmbedExpr': BY_TYPE,
  'Update.RetrieveByKey': BY_KEY,
  'Update.QueryNByKey': BY_KEY,
  'Update.TryCatch': { 1: 'InternedType!', 2: 'Expr!', 3: '#name', 4: 'Expr!' },
  Update: {
    1: 'Pure',
    2: 'Block',
    3: 'Update.Create',
    4: 'Update.Exercise',
    5: 'Update.Fetch',
    6: 'Unit',
    7: 'Update.EmbedExpr',
    8: 'Update.RetrieveByKey@dev',
    9: 'Update.RetrieveByKey@3',
    10: 'Update.ExerciseByKey@3',
    11: 'Update.TryCatch',
    12: 'Update.CreateInterface',
    13: 'Update.ExerciseInterface',
    14: 'Update.FetchInterface',
    15: 'Expr',
    16: 'Update.QueryNByKey@3',
  },
};

const DEFINITIONS: Readonly<Record<string, MessageText>> = {
  TemplateChoice: {
    1: 'Location',
    2: '#name',
    3: 'int',
    4: 'Expr!',
    5: 'Expr!',
    6: 'VarWithType!',
    8: 'InternedType!',
    9: 'Expr!',
    10: '#name',
    1001: 'Expr@dev',
  },
  'InterfaceInstanceBody.InterfaceInstanceMethod': { 1: '#name', 2: 'Expr!' },
  InterfaceInstanceBody: { 1: 'InterfaceInstanceBody.InterfaceInstanceMethod', 2: 'Expr!' },
  'DefTemplate.DefKey': { 1: 'InternedType!', 4: 'Expr!', 3: 'Expr!' },
  'DefTemplate.Implements': { 1: 'TypeConId!', 2: 'InterfaceInstanceBody!', 3: 'Location' },
  DefTemplate: {
    1: '#dotted',
    2: '#name',
    3: 'Expr',
    4: 'Expr!',
    6: 'TemplateChoice',
    7: 'Expr!',
    8: 'Location',
    9: 'DefTemplate.DefKey@3',
    10: 'DefTemplate.Implements',
  },
  InterfaceMethod: { 1: 'Location', 2: '#name', 3: 'InternedType!' },
  DefInterface: {
    1: 'Location',
    2: '#dotted',
    3: 'InterfaceMethod',
    4: '#name',
    5: 'TemplateChoice',
    6: 'InternedType!',
    7: 'TypeConId',
  },
  DefException: { 1: '#dotted', 2: 'Location', 3: 'Expr!' },
  'DefDataType.Fields': { 1: 'FieldWithType' },
  'DefDataType.EnumConstructors': { 2: '#names' },
  DefDataType: {
    1: 'Location',
    2: '#defined',
    3: 'TypeVarWithKind',
    4: 'int',
    5: 'DefDataType.Fields',
    6: 'DefDataType.Fields',
    7: 'DefDataType.EnumConstructors',
    8: 'Unit',
  },
  DefTypeSyn: { 1: 'Location', 2: '#defined', 3: 'TypeVarWithKind', 4: 'InternedType!' },
  'DefValue.NameWithType': { 1: '#defined', 2: 'InternedType!' },
  DefValue: { 1: 'Location', 2: 'DefValue.NameWithType!', 3: 'Expr!' },
  FeatureFlags: { 1: 'int', 2: 'int', 3: 'int' },
  Module: {
    1: '#dotted',
    2: 'FeatureFlags',
    3: 'DefTypeSyn',
    4: 'DefDataType',
    5: 'DefValue',
    6: 'DefTemplate',
    7: 'DefException',
    8: 'DefInterface',
  },
  InternedDottedName: { 1: '#names' },
  UpgradedPackageId: { 1: '#packageId' },
  PackageMetadata: { 1: '#text', 2: '#text', 3: 'UpgradedPackageId' },
  PackageImports: { 1: 'text' },
  Package: {
    1: 'Module',
    2: 'text',
    3: 'InternedDottedName',
    4: 'PackageMetadata',
    5: 'Type.Entry',
    6: 'Kind.Entry@2',
    7: 'Expr.Entry@2',
    8: 'text@2',
    9: 'PackageImports@2',
  },
};

/** Entries of a table contain the type or expression itself, and not its index. */
const ENTRIES: Readonly<Record<string, MessageText>> = {
  'Type.Entry': { ...NAMES_AND_TYPES['Type'], 8: 'immediate' },
  'Kind.Entry': { ...NAMES_AND_TYPES['Kind'], 4: 'immediate' },
  'Expr.Entry': { ...EXPRESSIONS['Expr'], 44: 'immediate' },
};

export const MESSAGES: Readonly<Record<string, MessageText>> = {
  ...NAMES_AND_TYPES,
  ...EXPRESSIONS,
  ...UPDATES,
  ...DEFINITIONS,
  ...ENTRIES,
};

/** Describes a repeated field. */
export interface ListText {
  readonly field: number;
  /** The field's name in the error about its absence. */
  readonly needed?: string;
  /** From 2.2 on, the maximum number of items, and the field's name in the error about another number. */
  readonly flat?: readonly [most: 0 | 1, name: string];
}

/** From 2.2 on, each expression or type applies or abstracts only one thing, and several are nested instead. */
export const LISTS: Readonly<Record<string, ListText>> = {
  'Kind.Arrow': { field: 1, needed: 'params', flat: [1, 'params'] },
  'Type.Var': { field: 2, flat: [0, 'tvar.getArgsList'] },
  'Type.Con': { field: 2, flat: [0, 'tcon.getArgsList'] },
  'Type.Builtin': { field: 2, flat: [0, 'builtin.getArgsList'] },
  'Type.Forall': { field: 1, needed: 'vars', flat: [1, 'builtin.getArgsList'] },
  'Type.Struct': { field: 1, needed: 'fields' },
  'Expr.App': { field: 2, needed: 'args' },
  'Expr.TyApp': { field: 2, needed: 'args', flat: [1, 'params'] },
  'Expr.Abs': { field: 1, needed: 'params', flat: [1, 'params'] },
  'Expr.TyAbs': { field: 1, needed: 'params', flat: [1, 'params'] },
  'Expr.Let': { field: 1, needed: 'bindings' },
  'Expr.Cons': { field: 2, needed: 'front' },
};

/** Messages with a oneof, and the name in the error if none of its cases is present. */
export const ONE_OF: Readonly<Record<string, string>> = {
  SelfOrImportedPackageId: 'PackageId.SUM_NOT_SET',
  Kind: 'Kind.SUM_NOT_SET',
  Type: 'Type.SUM_NOT_SET',
  InternedType: 'SUM_NOT_SET is not supported outside type interning table',
  Expr: 'Expr.SUM_NOT_SET',
  BuiltinLit: 'BuiltinLit.SUM_NOT_SET',
  CaseAlt: 'CaseAlt.SUM_NOT_SET',
  Update: 'Update.SUM_NOT_SET',
  'Kind.Entry': 'Kind.SUM_NOT_SET',
  'Type.Entry': 'Type.SUM_NOT_SET',
  'Expr.Entry': 'Expr.SUM_NOT_SET',
  DefDataType: 'DefDataType.DATACONS_NOT_SET',
};
/** Fields of these messages that do not belong to the oneof. */
export const BESIDE: Readonly<Record<string, readonly number[]>> = {
  Expr: [1],
  'Expr.Entry': [1],
  CaseAlt: [1],
  DefDataType: [1, 2, 3, 4],
};
