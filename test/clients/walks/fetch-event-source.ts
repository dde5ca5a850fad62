import { fetchEventSource } from '@microsoft/fetch-event-source';
import { tell, told } from './events.ts';

const { url, token } = told();
// This client is written for browsers and needs `window`.
Object.assign(globalThis, { window: globalThis });
await fetchEventSource(url, {
  headers: { authorization: `Bearer ${token}` },
  openWhenHidden: true,
  onopen: async () => tell({ opened: true }),
  onmessage: ({ data, id }) => tell({ data, id }),
  onerror: (error) => tell({ error: String(error) }),
});
