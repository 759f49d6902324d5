/** Runs `@keelson/apiserver` in a process of its own, and takes commands from the runner over IPC. */
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { customKind, definitionOf, thingOf } from './custom-kind.ts';
import { microseconds } from './pod-stream.ts';
import type { Command, EmbeddedServerOptions, Reply } from './protocol.ts';

/** The number of concurrent changes. */
const AT_ONCE = 16;
/** The number of changes so far: each one has its own content. */
let revision = 0;

const { kinds, objects, tls } = JSON.parse(process.argv[2] ?? '{}') as EmbeddedServerOptions;
const server = await createApiServer({ tls });
const client = createClient({ cluster: server.cluster });
server.seed(Array.from({ length: kinds }, (_, kind) => definitionOf(kind)));
await server.idle();
for (let kind = 0; kind < kinds; kind++) {
  server.seed(Array.from({ length: objects }, (_, n) => thingOf(kind, n)));
}

process.on('message', ({ id, command }: { id: number; command: Command }) => {
  void run(command).then((reply) => process.send?.({ id, reply }));
});
// The caller has stopped waiting.
process.on('disconnect', () => process.exit());
const { token, tls: trusted } = server.cluster;
const account = { token, ca: String(trusted?.ca), kubeconfig: server.kubeconfig() };
const address = { url: server.url, tlsUrl: server.url };
process.send?.({ listening: tls ? { ...address, account } : address });

async function run({ name }: Command): Promise<Reply> {
  if (name === 'burst') await changeAll();
  return { at: microseconds(), lists: 0, watches: 0 };
}

/** Changes every object of the first kind once. */
async function changeAll(): Promise<void> {
  let next = 0;
  const change = async (): Promise<void> => {
    while (next < objects) {
      const { name, namespace } = thingOf(0, next++).metadata ?? {};
      const body = { spec: { revision: ++revision } };
      await client.patch(customKind(0), { name: String(name), namespace }, { type: 'merge', body });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, change));
}
