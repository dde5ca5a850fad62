import type { Client, ClientConfig, QueryResult } from 'pg';

/** What the driver takes in place of a text; with the time that this one may take, in milliseconds. */
interface Question extends Pick<ClientConfig, 'query_timeout'> {
  /** There where it is not a query but a stream, which is answered bit by bit. */
  readonly submit?: unknown;
}

type Answer = (error: Error | null | undefined, found: QueryResult) => void;

/** What the driver makes of it: with a callback it returns nothing. */
type Ask = (question: unknown, values: unknown, answer: Answer | undefined) => unknown;

/** As the driver does it: its callers are what awaits the promise, and not what reads the socket. */
function failHere(error: Error): never {
  Error.captureStackTrace(error);
  throw error;
}

const breakOff = (client: Client): void => {
  client.connection.stream.destroy(new Error('Query read timeout'));
};

/**
 * The driver's `query`, in all its forms, by which a query does not outlive its answer.
 *
 * The driver assigns what it calls back to a query that it has made, where it promises an answer or bounds the time.
 * V8 takes a function that is written into a member for a method, and makes it among the objects that stay
 * (`CheckAssigningFunctionLiteralToProperty` in its parser). So every query would keep its rows, and all that waits
 * for them, until the whole heap is collected: a tenth of what is allocated, whatever the load. What is given to the
 * driver with the query goes with it.
 *
 * One that is not answered in time breaks the connection: what comes over that next could be its answer.
 *
 * @param withinMs for those that say nothing of it; none unless told
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
