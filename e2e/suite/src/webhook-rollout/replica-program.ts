/** A replica of an operator with a webhook. Its parent process starts and stops it. */
import { builtin } from '@keelson/apimachinery';
import type { Cluster } from '@keelson/client';
import { createManager } from '@keelson/manager';

/** The argument of the program, in JSON. */
export interface ReplicaOptions {
  readonly cluster: Cluster;
  /** The files of the certificate. */
  readonly tls: { readonly cert: string; readonly key: string };
  /** The value that the webhook gives the objects. */
  readonly name: string;
}

/** A message to the parent process: the ports when the replica has started, and later the messages of its log. */
export type ReplicaMessage =
  | { readonly webhook: number; readonly health: number }
  | { readonly logged: string };

const { cluster, tls, name } = JSON.parse(process.argv[2] ?? '') as ReplicaOptions;
const report = (message: ReplicaMessage): void => void process.send?.(message);
const line = (_facts: unknown, logged: string): void => report({ logged });
const logger = { debug: line, info: line, warn: line, error: line, child: () => logger };
const manager = createManager({
  cluster,
  logger,
  gracePeriod: '20s',
  servers: { host: '127.0.0.1', health: 0, webhook: { port: 0, tls } },
});
manager.addWebhook({
  name: 'maps',
  resource: builtin.ConfigMap,
  operations: ['CREATE'],
  mutate({ object }) {
    object.data = { ...object.data, reviewer: name };
  },
});
const running = manager.start();
await manager.started;
const { webhook = 0, health = 0 } = manager.ports;
report({ webhook, health });
await running;
// The channel to the parent process would keep this one alive.
process.disconnect();
