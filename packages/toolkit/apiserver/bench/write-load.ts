import { Agent, request } from 'node:https';
import type { ServerProcess } from './server-process.ts';

/** One write request. */
export interface Write {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string;
}

/** Sends requests to a server over a few keep-alive connections. */
export class Sender implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false });
  readonly #server: Pick<ServerProcess, 'port' | 'token'>;

  constructor(server: Pick<ServerProcess, 'port' | 'token'>) {
    this.#server = server;
  }

  send({ method, path, type = 'application/json', body = '' }: Write): Promise<void> {
    const headers = {
      authorization: `Bearer ${this.#server.token}`,
      'content-type': type,
      'content-length': Buffer.byteLength(body),
    };
    const where = { host: '127.0.0.1', port: this.#server.port, agent: this.#agent };
    return new Promise((resolve, reject) => {
      const sent = request({ ...where, method, path, headers }, (response) => {
        const { statusCode = 0 } = response;
        response.resume().once('end', resolve);
        if (statusCode >= 300) reject(new Error(`${statusCode} for ${method} ${path}`));
      });
      sent.once('error', reject).end(body);
    });
  }

  /** Opens a watch and reads its events. */
  async watch(path: string): Promise<void> {
    const { port, token } = this.#server;
    const headers = { authorization: `Bearer ${token}` };
    await new Promise<void>((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port, path, headers, rejectUnauthorized: false },
        (response) => {
          response.resume();
          response.once('error', () => {});
          resolve();
        },
      );
      sent.once('error', reject).end();
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

const configMaps = '/api/v1/namespaces/default/configmaps';
/** Number of objects that the writes cycle through. */
const objects = 100;

function configMap(at: number, bytes: number): object {
  const metadata = { name: `map-${at % objects}`, labels: { app: 'bench' } };
  const values = Object.fromEntries(
    Array.from({ length: 10 }, (_, key) => [`key-${key}`, 'x'.repeat(Math.floor(bytes / 10))]),
  );
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { ...values, at: String(at) } };
}

const nameOf = (at: number): string => `${configMaps}/map-${at % objects}`;

/** A repeated write and the objects that it requires. */
export interface WriteLoad {
  readonly watches: number;
  readonly creates: boolean;
  write(at: number, bytes: number): Write;
}

export const loads: Readonly<Record<string, WriteLoad>> = {
  updates: {
    watches: 0,
    creates: true,
    write: (at, bytes) => ({
      method: 'PUT',
      path: nameOf(at),
      body: JSON.stringify(configMap(at, bytes)),
    }),
  },
  merges: {
    watches: 5,
    creates: true,
    write: (at) => ({
      method: 'PATCH',
      path: nameOf(at),
      type: 'application/merge-patch+json',
      body: JSON.stringify({ data: { at: String(at) } }),
    }),
  },
  'creates and deletes': {
    watches: 0,
    creates: false,
    write: (at, bytes) => {
      const turn = Math.floor(at / 2);
      if (at % 2 === 1) return { method: 'DELETE', path: nameOf(turn) };
      return { method: 'POST', path: configMaps, body: JSON.stringify(configMap(turn, bytes)) };
    },
  },
  applies: {
    watches: 0,
    creates: true,
    write: (at, bytes) => ({
      method: 'PATCH',
      path: `${nameOf(at)}?fieldManager=bench&force=true`,
      type: 'application/apply-patch+yaml',
      body: JSON.stringify(configMap(at, bytes)),
    }),
  },
};

/** Creates the objects and watches that a load requires. */
export async function prepare(
  server: ServerProcess,
  sender: Sender,
  load: WriteLoad,
  bytes: number,
): Promise<void> {
  for (let at = 0; load.creates && at < objects; at += 1) {
    await sender.send({
      method: 'POST',
      path: configMaps,
      body: JSON.stringify(configMap(at, bytes)),
    });
  }
  for (let watch = 0; watch < load.watches; watch += 1) {
    await sender.watch(`${configMaps}?watch=1`);
  }
  await server.memory({ collect: true });
}
