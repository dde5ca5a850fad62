import { describe, expect, test } from 'vitest';
import type { LfPackage } from '../../../localnet/lf/package.ts';
import type { LfSource, ModuleSource } from '../../../localnet/lf/build/package.ts';
import {
  app,
  arrow,
  con,
  int64,
  optional,
  party,
  synonym,
  text,
  unit,
  variable,
} from '../../../localnet/lf/build/types.ts';
import { mainOnly, read, readWhole, refusalOf } from './lf-packages.ts';

/* Errors that a participant finds in packages that can be read. It does not check the types of expressions. */

const refusal = (source: LfSource, others: readonly LfPackage[] = []) =>
  refusalOf(() => readWhole(source, others));
const View: ModuleSource['data'] = { View: { record: {} } };

describe('a package is refused', () => {
  test.each<[string, ModuleSource, string, LfSource['modules']?]>([
    [
      'two names that differ in case only',
      { data: { Thing: { record: {} }, THING: { record: {} } } },
      'collision between record Main:Thing and record Main:THING',
    ],
    [
      'a field that is called as a type',
      { data: { Thing: { record: { a: text } }, 'Thing.a': { enum: ['X'] } } },
      'collision between record field Main:Thing:a and enum Main:Thing.a',
    ],
    [
      'two fields of one name',
      { data: { Box: { variant: { A: text }, params: ['a', 'a'] } } },
      'duplicate type parameter: a',
    ],
    [
      'two modules that differ in case only',
      { data: View },
      'collision between module Main and module MAIN',
      { MAIN: { data: View } },
    ],
    [
      'a module that is called as a type',
      { data: View },
      'collision between record Main:View and module Main.View',
      { 'Main.View': {} },
    ],
    [
      'a type that is nowhere',
      { data: { Thing: { record: { a: con('Main:Other') } } } },
      'while looking for data type',
    ],
    [
      'a module that is nowhere',
      { data: { Thing: { record: { a: con('Other:Thing') } } } },
      'unknown module',
    ],
    [
      'synonyms in a circle',
      {
        synonyms: {
          A: synonym('Main', 'B'),
          B: optional(synonym('Main', 'C')),
          C: synonym('Main', 'A'),
        },
      },
      'cycle in type synonym definitions',
    ],
    [
      'a synonym that is nowhere',
      { synonyms: { A: synonym('Main', 'B') } },
      'while looking for type synonym',
    ],
    [
      'a synonym of another package that is nowhere',
      { data: { Thing: { record: { a: synonym('Other', 'B') }, isSerializable: false } } },
      'unknown module',
    ],
    [
      'a synonym that is applied and takes nothing',
      { synonyms: { A: text, B: app(synonym('Main', 'A'), text) } },
      'wrong arity in type synonym application: Main:A',
    ],
    [
      'an exception that cannot be stored',
      {
        data: { Broken: { record: { f: arrow(unit, unit) }, isSerializable: false } },
        exceptions: ['Broken'],
      },
      'problem: exception argument',
    ],
    [
      'an exception that is no record',
      { data: { Broken: { enum: ['A'] } }, exceptions: ['Broken'] },
      'expected monomorphic record type in exception definition, but found: Main:Broken',
    ],
    [
      'an interface that shows an enum',
      { data: { View: { enum: ['A'] } }, interfaces: { Titled: { view: con('Main:View') } } },
      'expected monomorphic record type in view type, but found an enum type instead: Main:View',
    ],
    [
      'an interface that shows a variant',
      {
        data: { View: { variant: { A: text } } },
        interfaces: { Titled: { view: con('Main:View') } },
      },
      'expected monomorphic record type in view type, but found a variant type instead: Main:View',
    ],
    [
      'an interface that shows a text',
      { interfaces: { Titled: { view: text } } },
      'expected monomorphic record type in view type, but found a built-in type instead: Text',
    ],
    [
      'an interface that shows an applied type',
      {
        data: { Box: { record: { content: variable('a') }, params: ['a'] } },
        interfaces: { Titled: { view: app(con('Main:Box'), text) } },
      },
      'but found a type constructor with type variables: Main:Box Text',
    ],
    [
      'an interface of data that is none',
      { data: { Titled: { isInterface: true } } },
      'unknown interface',
    ],
    [
      'a function that is stored',
      { data: { Thing: { record: { f: arrow(text, text) } } } },
      'reason: function type',
    ],
    [
      'a type variable from nowhere',
      { data: { Thing: { record: { f: variable('a') } } } },
      'reason: free type variable a',
    ],
    [
      'a type that is not applied',
      { data: { Thing: { record: { f: con('Main:Box') } }, Box: { record: {}, params: ['a'] } } },
      'reason: unserializable data type Main:Box',
    ],
    [
      'a type that is applied too often',
      { data: { Thing: { record: { f: app(int64, text) } } } },
      'expected serializable type',
    ],
    [
      'a variant without constructors',
      { data: { Thing: { variant: {} } } },
      'reason: variant type without constructors',
    ],
    [
      'a template whose payload cannot be stored',
      { templates: { Thing: { fields: { f: arrow(unit, unit) } } } },
      'reason: function type',
    ],
    [
      'a choice whose result cannot be stored',
      { templates: { Thing: { fields: {}, choices: { Touch: { result: arrow(unit, unit) } } } } },
      'problem: choice result',
    ],
    [
      'an interface that is nowhere',
      { templates: { Thing: { fields: {}, implements: [{ iface: con('Main:None') }] } } },
      'unknown interface',
    ],
    [
      'an instance without a method',
      {
        data: View,
        interfaces: { Titled: { view: con('Main:View'), methods: { title: text } } },
        templates: { Thing: { fields: {}, implements: [{ iface: con('Main:Titled') }] } },
      },
      "Interface instance lacks an implementation for method 'title'.",
    ],
    [
      'an instance with a method too many',
      {
        data: View,
        interfaces: { Titled: { view: con('Main:View') } },
        templates: {
          Thing: {
            fields: {},
            implements: [{ iface: con('Main:Titled'), methods: { title: text } }],
          },
        },
      },
      'Tried to implement method title',
    ],
    [
      'an interface that requires itself',
      {
        data: View,
        interfaces: { Titled: { view: con('Main:View'), requires: [con('Main:Titled')] } },
      },
      'Circular interface requirement is not allowed',
    ],
    [
      'an interface without what it requires',
      {
        data: View,
        interfaces: {
          A: { view: con('Main:View') },
          B: { view: con('Main:View'), requires: [con('Main:A')] },
        },
        templates: { Thing: { fields: {}, implements: [{ iface: con('Main:B') }] } },
      },
      ':Main:A for ',
    ],
    [
      'an interface that requires too little',
      {
        data: View,
        interfaces: {
          A: { view: con('Main:View') },
          B: { view: con('Main:View'), requires: [con('Main:A')] },
          C: { view: con('Main:View'), requires: [con('Main:B')] },
        },
      },
      'is missing requirements',
    ],
  ])('for %s', (_what, module, why, others = {}) => {
    expect(refusal({ ...mainOnly({}), modules: { Main: module, ...others } })).toEqual({
      code: 'DAR_VALIDATION_ERROR',
      why: expect.stringContaining(why),
    });
  });

  test('for a package that the DAR does not bring, or that is written in a later version', () => {
    const of = (minor: number) => read(mainOnly({ data: { Base: { record: {} } } }, { minor }));
    const user = (base: LfPackage) =>
      mainOnly({ data: { User: { record: { base: con('Main:Base', base.id) } } } });
    const [same, later] = [of(1), of(2)];
    expect(refusal(user(same), [same]).code).toBe('none');
    expect(refusal(user(same)).why).toBe(`validation error: unknown package ${same.id}`);
    expect(refusal(user(later), [later]).why).toContain('using version 2.1 depends on package');
  });

  test('not for a record of a constructor, nor for what is never stored', () => {
    const module: ModuleSource = {
      data: {
        Shape: { variant: { Named: con('Main:Shape.Named') } },
        'Shape.Named': { record: { name: text } },
        Function: { record: { apply: arrow(text, text) }, isSerializable: false },
        Tree: { variant: { Leaf: unit, Node: con('Main:Tree') } },
      },
      templates: { Thing: { fields: { owner: party, shape: con('Main:Shape') } } },
    };
    expect(refusal(mainOnly(module)).code).toBe('none');
  });
});
