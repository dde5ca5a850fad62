import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import type { FastifyInstance } from 'fastify';
import type { ProblemDetails } from '../../domain/problems.ts';
import { problem } from '../../domain/problems.ts';

/** One finding of the schema check, as JSON Schema validators report it. */
interface Finding {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message?: string;
  readonly params: {
    readonly requiredProperties?: readonly string[];
    readonly additionalProperties?: readonly string[];
  };
}

/** JSON Pointer to the way people write it: `/meta/data/a~1b` is `meta.data.a/b`. */
const pathOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');

function fieldOf(finding: Finding): string {
  const at = pathOf(finding.instancePath);
  const missing =
    finding.params.requiredProperties?.[0] ?? finding.params.additionalProperties?.[0];
  if (missing === undefined) return at === '' ? 'body' : at;
  return at === '' ? missing : `${at}.${missing}`;
}

function wordsOf({ keyword, message }: Finding): string {
  if (keyword === 'required') return 'is required';
  return keyword === 'additionalProperties' ? 'is not known' : (message ?? 'is not valid');
}

/** The problem of a body that its schema does not take, or `null` when the error is another. */
export function validationProblem(error: unknown): ProblemDetails | null {
  if (!(error instanceof Error) || !('validation' in error)) return null;
  const [finding] = error.validation as readonly Finding[];
  if (finding === undefined) return null;
  const field = fieldOf(finding);
  return problem('REQUEST_INVALID', `${field} ${wordsOf(finding)}`, { extra: { field } });
}

/**
 * Answers are written whole. Writers compiled from schemas drop what a schema does not name and fail where a required
 * member is missing, after the change has been recorded; and to compile one for every status of every route takes
 * longer than all the rest of the start. That answers are as declared is for the tests to prove.
 */
export function writeAnswersWhole(app: FastifyInstance): void {
  app.setSerializerCompiler(() => (answer) => JSON.stringify(answer));
}

/**
 * Only bodies are checked by schema: they are JSON. Paths, query strings and headers are text, which readers of
 * their own take apart, with a message for each mistake; for them the schemas are documentation.
 */
export function checkBodiesBySchema(app: FastifyInstance): void {
  app.setValidatorCompiler((route) =>
    route.httpPart === 'body'
      ? TypeBoxValidatorCompiler(route as Parameters<typeof TypeBoxValidatorCompiler>[0])
      : (value: unknown) => ({ value }),
  );
}
