import { jsonFormat, type Frame } from '@keelson/wire';
import { Agent, request } from 'undici';
import type { LiveView, LiveViewOptions } from './live-view.ts';
import { PODS_PATH } from '../servers/pod-stream.ts';

interface Pod {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/**
 * The minimal informer that parses every object: read, split, `JSON.parse`, Map, handlers. Without a
 * store, indices and reconnects it is the upper bound of every informer that parses.
 */
export function plainView(options: LiveViewOptions): LiveView {
  const url = options.tls ? options.server.tlsUrl : options.server.url;
  const dispatcher = new Agent({ bodyTimeout: 0, connect: { rejectUnauthorized: false } });
  const pods = new Map<string, Pod>();
  const keep = (frame: Frame): void => {
    const pod = jsonFormat.decode(frame.buffer, frame.from, frame.to) as Pod;
    pods.set(`${pod.metadata.namespace}/${pod.metadata.name}`, pod);
    for (let i = 0; i < options.handlers; i++) options.onEvent(pod.metadata);
  };
  const read = async (
    query: string,
    splitter: { push(chunk: Uint8Array): readonly Frame[] },
  ): Promise<void> => {
    const { body } = await request(url + PODS_PATH + query, { dispatcher });
    for await (const chunk of body) splitter.push(chunk as Buffer).forEach(keep);
  };
  return {
    async start(): Promise<void> {
      await read('', jsonFormat.listSplitter());
      void read('?watch=1', jsonFormat.watchSplitter());
    },
    size: () => pods.size,
  };
}
