/** An answer of the API, in the form in which tests compare it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly type: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests state what they expect of it
  readonly body: any;
}

interface ApiCall {
  /** The method. @default 'POST' with a body, otherwise 'GET' */
  readonly method?: string;
  /** The body; a string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The bearer token; `null` sends none. */
  readonly token: string | null;
}

/** Makes one call. @returns its answer: parsed if its type is JSON, otherwise text */
export async function callApi(
  url: string,
  { body, method = body === undefined ? 'GET' : 'POST', headers, token }: ApiCall,
): Promise<Answer> {
  const answer = await fetch(url, {
    method,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(120_000),
  });
  const type = answer.headers.get('content-type') ?? '';
  const text = await answer.text();
  return {
    status: answer.status,
    headers: answer.headers,
    type,
    body: type.includes('json') && text !== '' ? JSON.parse(text) : text,
  };
}
