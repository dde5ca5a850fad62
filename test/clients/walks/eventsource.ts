import { EventSource } from 'eventsource';
import { tell, told } from './events.ts';

const { url, token } = told();
const source = new EventSource(url, {
  fetch: (address, options) =>
    fetch(address, {
      ...options,
      headers: { ...options?.headers, authorization: `Bearer ${token}` },
    }),
});
source.addEventListener('open', () => tell({ opened: true }));
source.addEventListener('message', ({ data, lastEventId }) => tell({ data, id: lastEventId }));
source.addEventListener('error', ({ code, message }) => tell({ error: `${code} ${message}` }));
