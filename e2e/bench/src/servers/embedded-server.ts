/** Runs `@keelson/apiserver` in a process of its own, and takes commands from the runner over IPC. */
import { createApiServer } from '@keelson/apiserver';
import { createClient } from '@keelson/client';
import { childOf, customKind, definitionOf, thingOf, type Thing } from './custom-kind.ts';
import { microseconds } from './pod-stream.ts';
import type { Command, EmbeddedServerOptions, Reply } from './protocol.ts';

/** The number of concurrent changes. */
const AT_ONCE = 16;
/** Milliseconds between the changes of `churn`. */
const CHURN_MS = 5;
/** The number of changes so far: each one has its own content. */
let revision = 0;

/** The changes of `churn`; `undefined` without it. */
let churn: NodeJS.Timeout | undefined;

const {
  kinds,
  objects,
  tls,
  isOwned = false,
} = JSON.parse(process.argv[2] ?? '{}') as EmbeddedServerOptions;
const server = await createApiServer({ tls });
const client = createClient({ cluster: server.cluster });
server.seed(Array.from({ length: kinds }, (_, kind) => definitionOf(kind)));
await server.idle();
for (let kind = 0; kind < kinds; kind++) {
  server.seed(isOwned && kind === 1 ? await children() : things(kind));
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

async function run(command: Command): Promise<Reply> {
  if (command.name === 'burst') await changeAll();
  if (command.name === 'reset') clearInterval(churn);
  if (command.name === 'churn') startChurn(command.perSecond, command.among);
  return { at: microseconds(), lists: 0, watches: 0 };
}

/** Changes every object of the first kind once. */
async function changeAll(): Promise<void> {
  let next = 0;
  const change = async (): Promise<void> => {
    while (next < objects) await changeOne(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, change));
}

function things(kind: number): Thing[] {
  return Array.from({ length: objects }, (_, n) => thingOf(kind, n));
}

/** A child of each object of the first kind, with the uid that the server gave it. */
async function children(): Promise<Thing[]> {
  const { items } = await client.list(customKind(0));
  return items.map((owner, n) => childOf(owner, n));
}

async function changeOne(n: number): Promise<void> {
  const { name, namespace } = thingOf(0, n).metadata ?? {};
  const body = { spec: { revision: ++revision } };
  await client.patch(customKind(0), { name: String(name), namespace }, { type: 'merge', body });
}

/** Changes objects at a rate. A late timer makes up for the changes that it missed. */
function startChurn(perSecond: number, among: number): void {
  const start = performance.now();
  let changes = 0;
  churn = setInterval(() => {
    const due = ((performance.now() - start) * perSecond) / 1000;
    while (changes < due) void changeOne(changes++ % among);
  }, CHURN_MS);
}
