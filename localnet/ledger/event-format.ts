import { sameType } from './contract.ts';
import type { InterfaceDefinition, TemplateDefinition } from './package-definition.ts';
import type { FilterType, PackageRegistry } from './package-registry.ts';
import { partyDefect } from './identifiers.ts';
import {
  checkArgument,
  checkTypeReference,
  invalidArgument,
  invalidField,
} from './submission-checks.ts';
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

/** A reader's filters. An empty list of filters stands for a wildcard. */
export interface EventFormatRequest {
  readonly filtersByParty: ReadonlyMap<string, readonly CumulativeFilter[]>;
  readonly filtersForAnyParty: readonly CumulativeFilter[] | undefined;
  readonly verbose: boolean;
}

/** The part of a filter that concerns one template. */
interface TemplateMatch {
  readonly includeBlob: boolean;
  /** The interfaces that the template implements and whose views the filter requests. Events contain no other views. */
  readonly views: readonly InterfaceDefinition[];
}

/** The parties for which an event is shown to the reader, and the event's optional parts. */
export interface Selection extends TemplateMatch {
  readonly witnesses: readonly string[];
}

interface CompiledFilter {
  match(template: TemplateDefinition, packageId: string): TemplateMatch | undefined;
}

/** An event format whose type names have been resolved. */
export class EventFormat {
  readonly verbose: boolean;
  readonly #byParty: ReadonlyMap<string, CompiledFilter>;
  readonly #anyParty: CompiledFilter | undefined;

  /** Throws INVALID_ARGUMENT, INVALID_FIELD, and the errors for unknown types. */
  constructor(request: EventFormatRequest, registry: PackageRegistry) {
    if (request.filtersByParty.size === 0 && request.filtersForAnyParty === undefined) {
      throw invalidArgument('filtersByParty and filtersForAnyParty cannot be empty simultaneously');
    }
    this.verbose = request.verbose;
    checkFilters(request, registry);
    const byParty = new Map<string, CompiledFilter>();
    for (const [party, filters] of request.filtersByParty) {
      byParty.set(party, compileFilter(filters, registry));
    }
    this.#byParty = byParty;
    this.#anyParty =
      request.filtersForAnyParty === undefined
        ? undefined
        : compileFilter(request.filtersForAnyParty, registry);
  }

  /** Returns whether the format covers `party`. A filter for any party covers the parties in `hosted`. */
  #isAsked(party: string, hosted: ReadonlySet<string>): boolean {
    return this.#byParty.has(party) || (this.#anyParty !== undefined && hosted.has(party));
  }

  asksForOneOf(parties: readonly string[], hosted: ReadonlySet<string>): boolean {
    return parties.some((party) => this.#isAsked(party, hosted));
  }

  /** Returns the selection for an event; `undefined` if no filter shows events of this template to `parties`. */
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
  if (filter.kind === 'wildcard') return () => ({ includeBlob, views: [] });
  const definition = registry.typeOfFilter(filter);
  if (definition === undefined) throw new TypeError('a filter has not been checked');
  if (filter.kind === 'template') {
    return (template) =>
      sameType(template.name, definition.name) ? { includeBlob, views: [] } : undefined;
  }
  const { includeView } = filter;
  return (template) => {
    const found = template.implements.find(({ iface }) => sameType(iface.name, definition.name));
    if (found === undefined) return undefined;
    return { includeBlob, views: includeView ? [found.iface] : [] };
  };
}

/** First checks the filters themselves, and then whether the types that they name are known. */
function checkFilters(
  { filtersByParty, filtersForAnyParty = [] }: EventFormatRequest,
  registry: PackageRegistry,
): void {
  const types: FilterType[] = [];
  const check = (filters: readonly CumulativeFilter[]) => {
    for (const filter of filters) {
      if (filter.kind === 'wildcard') continue;
      checkNamed(filter.reference);
      types.push(filter);
    }
  };
  for (const [party, filters] of filtersByParty) {
    checkArgument(party, partyDefect);
    check(filters);
  }
  check(filtersForAnyParty);
  if (types.length > 0) registry.requireFilterTypes(types);
}

function checkNamed(reference: TypeReference): void {
  checkTypeReference(reference);
  const { packageId } = reference;
  if (packageId.startsWith('#')) return;
  throw invalidField(
    'packageId',
    `Received an identifier with package ID ${packageId}, but expected a package name.`,
  );
}
