/**
 * Records how a real kube-apiserver answers, for the tests to compare with:
 *
 *     kubectl proxy --port 8001 & npm run record -- http://127.0.0.1:8001
 *
 * Nothing stays behind on the server but what it needs to answer: creations are dry runs in the namespace
 * `keelson-fixtures`, which is made and deleted here.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { samples } from './fixtures/samples.ts';

const server = process.argv[2];
if (server === undefined) throw new Error('usage: npm run record -- URL_OF_A_KUBECTL_PROXY');

type Json = Record<string, unknown>;

await send('POST', '/api/v1/namespaces', {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'keelson-fixtures' },
});

const lines: string[] = [];
for (const { name, path, object } of samples) {
  const stored = await send('POST', `${path}?dryRun=All`, object);
  if (stored.kind === 'Status') throw new Error(`${name}: ${String(stored.message)}`);
  lines.push(JSON.stringify({ name, sent: object, stored }));
}
writeFileSync(join(import.meta.dirname, 'fixtures/created.json'), `[\n${lines.join(',\n')}\n]\n`);
await send('DELETE', '/api/v1/namespaces/keelson-fixtures');

async function send(method: string, path: string, body?: Json): Promise<Json> {
  const response = await fetch(`${server}${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Json;
}
