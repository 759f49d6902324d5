import { Agent, request } from 'undici';
import type { LiveView, LiveViewOptions } from './live-view.ts';
import { PODS_PATH } from '../servers/pod-stream.ts';

const NEWLINE = 0x0a;
const ITEM = Buffer.from('{"metadata":{"name":');

/**
 * Only reads and counts the bytes. It shows the rate of the server and the transport, so that they do
 * not limit a contender.
 */
export function sinkView(options: LiveViewOptions): LiveView {
  const url = options.tls ? options.server.tlsUrl : options.server.url;
  const dispatcher = new Agent({ bodyTimeout: 0, connect: { rejectUnauthorized: false } });
  let size = 0;
  const watch = async (): Promise<void> => {
    const { body } = await request(`${url}${PODS_PATH}?watch=1`, { dispatcher });
    for await (const chunk of body) {
      count(
        chunk as Buffer,
        (bytes, at) => bytes.indexOf(NEWLINE, at) + 1,
        () => options.onEvent({}),
      );
    }
  };
  return {
    async start(): Promise<void> {
      const { body } = await request(url + PODS_PATH, { dispatcher });
      // A name that is split between two chunks is not counted, so the size is not asserted.
      for await (const chunk of body) {
        count(
          chunk as Buffer,
          (bytes, at) => bytes.indexOf(ITEM, at) + 1,
          () => size++,
        );
      }
      void watch();
    },
    size: () => size,
  };
}

function count(
  bytes: Buffer,
  next: (bytes: Buffer, at: number) => number,
  found: () => void,
): void {
  for (let at = next(bytes, 0); at > 0; at = next(bytes, at)) found();
}
