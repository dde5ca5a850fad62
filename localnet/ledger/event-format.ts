import { sameType } from './contract.ts';
import type { InterfaceDefinition, TemplateDefinition } from './package-definition.ts';
import type { PackageRegistry } from './package-registry.ts';
import { invalidArgument, invalidField, missingField } from './submission-checks.ts';
import { isParty } from './lf-values.ts';
import { typeReferenceDefect } from './package-registry.ts';
import type { TypeReference } from './submission.ts';

export type CumulativeFilter =
  | { readonly kind: 'wildcard'; readonly includeBlob: boolean }
  | { readonly kind: 'template'; readonly reference: TypeReference; readonly includeBlob: boolean }
  | {
      readonly kind: 'interface';
      readonly reference: TypeReference;
      readonly includeBlob: boolean;
      readonly includeView: boolean;
    };

/** What a reader asks for. A list without filters is a wildcard. */
export interface EventFormatRequest {
  readonly filtersByParty: ReadonlyMap<string, readonly CumulativeFilter[]>;
  readonly filtersForAnyParty: readonly CumulativeFilter[] | undefined;
  readonly verbose: boolean;
}

/** What a filter says about one template. */
interface TemplateMatch {
  readonly includeBlob: boolean;
  /** Interfaces that the filter named and the template implements. */
  readonly interfaces: readonly InterfaceDefinition[];
  /** Those of them whose view was asked for. */
  readonly views: readonly InterfaceDefinition[];
}

/** Which parties, of those that were asked for, an event is shown to, and what comes with it. */
export interface Selection extends TemplateMatch {
  readonly witnesses: readonly string[];
}

interface CompiledFilter {
  match(template: TemplateDefinition, packageId: string): TemplateMatch | undefined;
}

/** A format whose types have been looked up. */
export class EventFormat {
  readonly verbose: boolean;
  readonly #byParty: ReadonlyMap<string, CompiledFilter>;
  readonly #anyParty: CompiledFilter | undefined;

  /** INVALID_ARGUMENT, INVALID_FIELD, MISSING_FIELD, and the errors of types that nobody knows. */
  constructor(request: EventFormatRequest, registry: PackageRegistry) {
    if (request.filtersByParty.size === 0 && request.filtersForAnyParty === undefined) {
      throw invalidArgument('filtersByParty and filtersForAnyParty cannot be empty simultaneously');
    }
    this.verbose = request.verbose;
    const byParty = new Map<string, CompiledFilter>();
    for (const [party, filters] of request.filtersByParty) {
      if (!isParty(party)) throw invalidArgument(`'${party.slice(0, 100)}' is not a party`);
      byParty.set(party, compileFilter(filters, registry));
    }
    this.#byParty = byParty;
    this.#anyParty =
      request.filtersForAnyParty === undefined
        ? undefined
        : compileFilter(request.filtersForAnyParty, registry);
  }

  /** Whether `party` is one that the reader asked about; `hosted` answers for any-party filters. */
  #isAsked(party: string, hosted: ReadonlySet<string>): boolean {
    return this.#byParty.has(party) || (this.#anyParty !== undefined && hosted.has(party));
  }

  asksForOneOf(parties: readonly string[], hosted: ReadonlySet<string>): boolean {
    return parties.some((party) => this.#isAsked(party, hosted));
  }

  /** `undefined`: no filter lets `parties` see an event of this template. */
  select(
    type: { readonly template: TemplateDefinition; readonly packageId: string },
    parties: readonly string[],
    hosted: ReadonlySet<string>,
  ): Selection | undefined {
    const matches: TemplateMatch[] = [];
    for (const party of parties) {
      const own = this.#byParty.get(party)?.match(type.template, type.packageId);
      if (own !== undefined) matches.push(own);
    }
    if (this.#anyParty !== undefined && parties.some((party) => hosted.has(party))) {
      const any = this.#anyParty.match(type.template, type.packageId);
      if (any !== undefined) matches.push(any);
    }
    const [first, ...others] = matches;
    if (first === undefined) return undefined;
    const witnesses = parties.filter((party) => this.#isAsked(party, hosted));
    return { ...(others.length === 0 ? first : mergeMatches(matches)), witnesses };
  }
}

const mergeMatches = (matches: readonly TemplateMatch[]): TemplateMatch => ({
  includeBlob: matches.some(({ includeBlob }) => includeBlob),
  interfaces: [...new Set(matches.flatMap(({ interfaces }) => interfaces))],
  views: [...new Set(matches.flatMap(({ views }) => views))],
});

function compileFilter(
  filters: readonly CumulativeFilter[],
  registry: PackageRegistry,
): CompiledFilter {
  const effective: readonly CumulativeFilter[] =
    filters.length === 0 ? [{ kind: 'wildcard', includeBlob: false }] : filters;
  const parts = effective.map((filter) => compilePart(filter, registry));
  const known = new Map<string, TemplateMatch | undefined>();
  return {
    match: (template, packageId) => {
      const key = `${packageId}:${template.name.module}:${template.name.entity}`;
      if (known.has(key)) return known.get(key);
      const matches = parts.flatMap((part) => part(template, packageId) ?? []);
      const match = matches.length === 0 ? undefined : mergeMatches(matches);
      known.set(key, match);
      return match;
    },
  };
}

type CompiledPart = (template: TemplateDefinition, packageId: string) => TemplateMatch | undefined;

function compilePart(filter: CumulativeFilter, registry: PackageRegistry): CompiledPart {
  const { includeBlob } = filter;
  if (filter.kind === 'wildcard') return () => ({ includeBlob, interfaces: [], views: [] });
  checkReference(filter.reference, filter.kind);
  const definition = registry.resolveForFilter(filter.reference, filter.kind);
  if (filter.kind === 'template') {
    const byName = filter.reference.packageId.startsWith('#');
    return (template, packageId) =>
      sameType(template.name, definition.name) &&
      (byName || packageId === filter.reference.packageId)
        ? { includeBlob, interfaces: [], views: [] }
        : undefined;
  }
  const { includeView } = filter;
  return (template) => {
    const found = template.implements.find(({ iface }) => sameType(iface.name, definition.name));
    if (found === undefined) return undefined;
    return { includeBlob, interfaces: [found.iface], views: includeView ? [found.iface] : [] };
  };
}

function checkReference(reference: TypeReference, kind: 'template' | 'interface'): void {
  const field = `${kind}_id`;
  if (reference.packageId === '') throw missingField(`${field}.package_id`);
  if (reference.module === '') throw missingField(`${field}.module_name`);
  if (reference.entity === '') throw missingField(`${field}.entity_name`);
  const defect = typeReferenceDefect(reference);
  if (defect !== undefined) throw invalidField(field, defect);
}
