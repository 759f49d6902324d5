/**
 * Serves any number of custom resources as a WatchList, rendered while they are sent: a million of them would not fit in
 * memory beside the client. It runs in a process of its own and takes commands from the runner over IPC.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen, send } from './fake-response.ts';
import { chunked, LIST_VERSION, microseconds } from './pod-stream.ts';
import type { Command, Reply, ThingServerOptions } from './protocol.ts';
import { changedThings, initialThings } from './thing-stream.ts';

const { things, events } = JSON.parse(process.argv[2] ?? '{}') as ThingServerOptions;
const watches = new Set<ServerResponse>();

const server = createServer((request, response) => void respond(request, response));

/** Every request must be a watch, and the first one a WatchList. */
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (searchParams.get('watch') !== 'true' && searchParams.get('watch') !== '1') {
    response.writeHead(404).end();
    return;
  }
  const isInitial = searchParams.get('sendInitialEvents') === 'true';
  watches.add(response);
  response.once('close', () => watches.delete(response));
  response.setHeader('content-type', 'application/json');
  response.flushHeaders();
  if (isInitial) await send(response, chunked(initialThings(things)), false);
}

async function run({ name }: Command): Promise<Reply> {
  if (name === 'reset') for (const watch of watches) watch.destroy();
  if (name === 'burst') {
    const [watch] = watches;
    if (watch === undefined) throw new Error(`no watch after version ${String(LIST_VERSION)}`);
    await send(watch, chunked(changedThings(events, things)), false);
  }
  return { at: microseconds(), lists: 0, watches: watches.size };
}

const url = `http://127.0.0.1:${String(await listen(server))}`;
process.on('message', ({ id, command }: { id: number; command: Command }) => {
  void run(command).then((reply) => process.send?.({ id, reply }));
});
// The caller has stopped waiting.
process.on('disconnect', () => process.exit());
process.send?.({ listening: { url, tlsUrl: url } });
