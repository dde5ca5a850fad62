import { parser } from '@prometheus-io/lezer-promql';

/** One sample in the text exposition format, without its timestamp. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Parses the text exposition format, for labels that need no escaping. */
export const samplesIn = (exposition: string): Sample[] =>
  exposition
    .split('\n')
    .filter((line) => /^[a-z]/u.test(line))
    .map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/u.exec(line) ?? [];
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/gu)];
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])),
        value: Number(value),
      };
    });

interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** The metrics and labels in an expression. */
interface Asked {
  readonly selectors: readonly { readonly metric: string; readonly matchers: readonly Matcher[] }[];
  /** The labels by which the expression groups or joins samples. */
  readonly groupings: readonly string[];
  readonly isValid: boolean;
}

/** Replaces Grafana's own variables by a duration, which PromQL requires there. */
const plain = (expression: string): string =>
  expression.replaceAll(/\$__(?:rate_)?interval/gu, '5m');

function askedBy(expression: string): Asked {
  const text = plain(expression);
  const selectors: { metric: string; matchers: Matcher[] }[] = [];
  const groupings: string[] = [];
  let isValid = true;
  parser.parse(text).iterate({
    enter: ({ type, from, to }) => {
      const piece = text.slice(from, to);
      if (type.isError) isValid = false;
      if (type.name === 'VectorSelector') selectors.push({ metric: '', matchers: [] });
      const selector = selectors.at(-1);
      if (type.name === 'Identifier' && selector?.metric === '') selector.metric = piece;
      if (type.name === 'UnquotedLabelMatcher') {
        const [, label = '', operator = '', value = ''] =
          /^(\w+)\s*(=~|!~|!=|=)\s*["'](.*)["']$/su.exec(piece) ?? [];
        selector?.matchers.push({ label, operator, value });
      }
      if (type.name === 'GroupingLabels') groupings.push(...(piece.match(/\w+/gu) ?? []));
    },
  });
  return { selectors, groupings, isValid };
}

/** Labels that Prometheus itself adds to every sample of a target. */
const OF_THE_TARGET: ReadonlySet<string> = new Set(['instance', 'job']);

/**
 * Returns everything that an expression uses and these samples lack: a metric, a label of it, a value with which a
 * label is compared, or a label by which the expression groups.
 */
export function missingFor(expression: string, samples: readonly Sample[]): string[] {
  const { selectors, groupings, isValid } = askedBy(expression);
  if (!isValid || selectors.length === 0) return [`${expression}: is no PromQL over metrics`];
  const labels = new Set(OF_THE_TARGET);
  const missing = selectors.flatMap(({ metric, matchers }) => {
    const found = samples.filter(({ name }) => name === metric);
    if (found.length === 0) return [`${metric}: is no metric`];
    for (const sample of found) for (const label of Object.keys(sample.labels)) labels.add(label);
    return matchers.flatMap(({ label, operator, value }) => {
      const values = found.flatMap((sample) => sample.labels[label] ?? []);
      if (values.length === 0 && !OF_THE_TARGET.has(label))
        return [`${metric}: has no label ${label}`];
      if (operator !== '=' || values.includes(value)) return [];
      return [`${metric}: ${label} is never ${value}`];
    });
  });
  const unknown = groupings.filter((label) => !labels.has(label));
  return [...missing, ...unknown.map((label) => `${expression}: nothing has label ${label}`)];
}
