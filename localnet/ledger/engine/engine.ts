import type { LfType, TypeName } from '../lf-types.ts';
import { translatedPayload } from '../payload-versions.ts';
import type {
  InterfaceDefinition,
  InterfaceImplementation,
  PackageDefinition,
  TemplateDefinition,
} from '../package-definition.ts';
import { LedgerTypes } from '../../lf/ledger-types.ts';
import type { Library } from '../../lf/library.ts';
import type { LfPackage } from '../../lf/package.ts';
import type { DefinitionId, Type } from '../../lf/types.ts';
import type { Meter } from './bounds.ts';
import { Code } from './code.ts';
import type { Natives } from './code.ts';
import { toEngine, toLedger } from './conversion.ts';
import { engineInterface, engineTemplate } from './templates.ts';
import type { Definitions } from './templates.ts';
import { listOf } from './values.ts';
import type { InterfaceValue, Value } from './values.ts';

/** Returns the definition of a type that LocalNet runs natively, without the engine. */
export type NativeDefinition = (
  id: DefinitionId,
) => TemplateDefinition | InterfaceDefinition | undefined;

const keyOf = ({ packageId, module, name }: DefinitionId): string =>
  `${packageId}:${module}:${name}`;

/** The definitions of uploaded packages, which the engine runs with the packages' own code. */
export class Engine implements Definitions, Natives {
  readonly code: Code;
  readonly #library: Library;
  readonly #native: NativeDefinition;
  readonly #types: LedgerTypes;
  readonly #templates = new Map<string, TemplateDefinition>();
  readonly #interfaces = new Map<string, InterfaceDefinition>();

  /** @param trace receives the trace messages of contract code */
  constructor(library: Library, native: NativeDefinition, trace: (message: string) => void) {
    this.#library = library;
    this.#native = native;
    this.#types = new LedgerTypes(library);
    this.code = new Code(library, this, trace);
  }

  /** Returns the templates and interfaces of a package. */
  definitionsOf(lf: LfPackage): Pick<PackageDefinition, 'templates' | 'interfaces'> {
    const templates: TemplateDefinition[] = [];
    const interfaces: InterfaceDefinition[] = [];
    for (const [module, { templates: own, interfaces: ownInterfaces }] of lf.modules) {
      for (const name of own.names()) {
        templates.push(this.#ownTemplate({ packageId: lf.id, module, name }));
      }
      for (const name of ownInterfaces.names()) {
        interfaces.push(this.#ownInterface({ packageId: lf.id, module, name }));
      }
    }
    return { templates, interfaces };
  }

  type(type: Type): LfType {
    return this.#types.of(type);
  }

  template(id: DefinitionId): TemplateDefinition {
    const native = this.#native(id);
    return native?.kind === 'template' ? native : this.#ownTemplate(id);
  }

  interface(id: DefinitionId): InterfaceDefinition {
    const native = this.#native(id);
    return native?.kind === 'interface' ? native : this.#ownInterface(id);
  }

  #ownTemplate(id: DefinitionId): TemplateDefinition {
    const known = this.#templates.get(keyOf(id));
    if (known !== undefined) return known;
    const code = this.code.template(id);
    if (code === undefined) throw new TypeError(`there is no template ${keyOf(id)}`);
    const made = engineTemplate(this, code, this.#nameOf(id));
    this.#templates.set(keyOf(id), made);
    return made;
  }

  #ownInterface(id: DefinitionId): InterfaceDefinition {
    const known = this.#interfaces.get(keyOf(id));
    if (known !== undefined) return known;
    const made = engineInterface(this, id, this.#nameOf(id));
    this.#interfaces.set(keyOf(id), made);
    return made;
  }

  #nameOf({ packageId, module, name }: DefinitionId): TypeName {
    const packageName = this.#library.package(packageId)?.name ?? packageId;
    return { packageName, module, entity: name };
  }

  #nativeTemplate(id: DefinitionId): TemplateDefinition | undefined {
    const found = this.#native(id);
    return found?.kind === 'template' ? found : undefined;
  }

  #nativeImplementation(
    template: DefinitionId,
    iface: DefinitionId,
  ): InterfaceImplementation<unknown> | undefined {
    const { module, entity, packageName } = this.interface(iface).name;
    return this.#nativeTemplate(template)?.implements.find(
      ({ iface: { name } }) =>
        name.module === module && name.entity === entity && name.packageName === packageName,
    );
  }

  parties(of: InterfaceValue, which: 'signatories' | 'observers', meter: Meter): Value | undefined {
    const template = this.#nativeTemplate(of.template);
    if (template === undefined) return undefined;
    return listOf(template[which](toLedger(template.payload, of.payload, meter), meter));
  }

  view(of: InterfaceValue, iface: DefinitionId, meter: Meter): Value | undefined {
    const template = this.#nativeTemplate(of.template);
    const found = this.#nativeImplementation(of.template, iface);
    if (template === undefined || found === undefined) return undefined;
    const view = found.view(toLedger(template.payload, of.payload, meter), meter);
    return toEngine(found.iface.view, view, meter);
  }

  implements(template: DefinitionId, iface: DefinitionId): boolean {
    return this.#nativeImplementation(template, iface) !== undefined;
  }

  translate(from: DefinitionId, to: DefinitionId, payload: Value, meter: Meter): Value {
    const [source, target] = [this.template(from).payload, this.template(to).payload];
    const own = { type: source, name: keyOf(from), payload: toLedger(source, payload, meter) };
    return toEngine(target, translatedPayload(own, target, keyOf(to), 'a contract'), meter);
  }
}
