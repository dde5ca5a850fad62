import type { Client, Connection, Submittable } from 'pg';

/** The parts of the driver's connection that `COPY … FROM STDIN` needs. */
type CopyConnection = Connection & {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
};

/** One `COPY … FROM STDIN`, as a query that the driver can run. */
class CopyIn implements Submittable {
  readonly done = Promise.withResolvers<void>();
  readonly #text: string;
  readonly #chunks: Iterable<string>;
  #error: Error | null = null;

  constructor(text: string, chunks: Iterable<string>) {
    this.#text = text;
    this.#chunks = chunks;
  }

  submit(connection: Connection): void {
    (connection as CopyConnection).query(this.#text);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    const chunks = this.#chunks[Symbol.iterator]();
    const send = (): void => {
      for (;;) {
        if (this.#error !== null) return;
        const next = chunks.next();
        if (next.done === true) return connection.endCopyFrom();
        connection.sendCopyFromChunk(Buffer.from(next.value));
        if (connection.stream.writableNeedDrain) {
          connection.stream.once('drain', send);
          return;
        }
      }
    };
    send();
  }

  handleError(error: Error): void {
    this.#error = error;
    this.done.reject(error);
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.done.resolve();
  }
}

/**
 * Copies rows into a table.
 *
 * @param text the statement: `copy … from stdin`
 * @param chunks lines in PostgreSQL's text format, each with its line feed
 * @throws Error with the server's message
 */
export async function copyIn(
  client: Client,
  text: string,
  chunks: Iterable<string>,
): Promise<void> {
  const copy = new CopyIn(text, chunks);
  client.query(copy);
  await copy.done.promise;
}
