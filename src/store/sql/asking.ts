import type { Client, ClientConfig, QueryResult } from 'pg';

/** The driver's query object, which can be passed instead of a text; `query_timeout` is in milliseconds. */
interface Question extends Pick<ClientConfig, 'query_timeout'> {
  /** Present if the object is a stream, whose answer arrives in parts, and not a query. */
  readonly submit?: unknown;
}

type Answer = (error: Error | null | undefined, found: QueryResult) => void;

/** The driver's `query`. If it is called with a callback, it returns nothing. */
type Ask = (question: unknown, values: unknown, answer: Answer | undefined) => unknown;

/**
 * Throws the error with a stack trace that begins at the caller that awaits the promise, and not at the socket reader.
 * The driver does the same.
 */
function failHere(error: Error): never {
  Error.captureStackTrace(error);
  throw error;
}

const breakOff = (client: Client): void => {
  client.connection.stream.destroy(new Error('Query read timeout'));
};

/**
 * Returns the driver's `query` in all its forms, wrapped so that a query is not kept in memory after its answer.
 *
 * The driver assigns a callback to a member of each query that returns a promise or has a timeout. V8 treats a function
 * literal that is assigned to a member as a method, and allocates it among long-lived objects
 * (`CheckAssigningFunctionLiteralToProperty` in its parser). So every query would keep its rows, and everything that
 * waits for them, until a full garbage collection: a tenth of all allocations, whatever the load. A callback that is
 * passed to the driver with the query is freed together with the query.
 *
 * If a query is not answered in time, the connection is broken, because the next answer on it could belong to that
 * query.
 *
 * @param withinMs default timeout of a query; none if undefined
 */
export function askingOf(client: Client, withinMs: number | undefined): Client['query'] {
  const ask = client.query.bind(client) as Ask;
  const asked = (question: string | Question, second?: unknown, third?: Answer): unknown => {
    if (typeof question !== 'string' && question.submit !== undefined) {
      return ask(question, second, third);
    }
    const [values, given] =
      typeof second === 'function' ? [undefined, second as Answer] : [second, third];
    const { query_timeout: limitMs = withinMs, ...rest } =
      typeof question === 'string' ? { text: question } : question;
    const timer = limitMs === undefined ? undefined : setTimeout(breakOff, limitMs, client);
    const answered = (answer: Answer): Answer => {
      return (error, found) => {
        clearTimeout(timer);
        answer(error, found);
      };
    };
    if (given !== undefined) return ask(rest, values, answered(given));
    const { promise, resolve, reject } = Promise.withResolvers<QueryResult>();
    const settle: Answer = (error, found) => {
      if (error == null) resolve(found);
      else reject(error);
    };
    ask(rest, values, answered(settle));
    return promise.catch(failHere);
  };
  return asked as Client['query'];
}
