/**
 * Records responses of a real kube-apiserver, with which the tests compare:
 *
 *     kubectl proxy --port 8001 & npm run record -- http://127.0.0.1:8001
 *
 * Leaves no objects behind on the server: creations are dry runs in the namespace
 * `keelson-fixtures`, which this program creates and deletes.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { changes } from './fixtures/changes.ts';
import { patchedObject, patches } from './fixtures/patches.ts';
import { gadgetDefinition, refusals } from './fixtures/refusals.ts';
import { type Sample, samples } from './fixtures/samples.ts';
import { type Step, stories } from './fixtures/stories.ts';

const server = process.argv[2];
if (server === undefined) throw new Error('usage: npm run record -- URL_OF_A_KUBECTL_PROXY');

type Json = Record<string, unknown>;

const strategic = 'application/strategic-merge-patch+json';

await send('POST', '/api/v1/namespaces', {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'keelson-fixtures' },
});

writeFixture(
  'gadget-schema.json',
  JSON.stringify(gadgetDefinition.spec.versions[0]?.schema.openAPIV3Schema),
);

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
await send('POST', definitions, gadgetDefinition);
await served('/apis/fixtures.keelson.test/v1/gadgets');

try {
  await record('created.json', samples, ({ name, sent, response }) => {
    if (response.kind === 'Status') throw new Error(`${name}: ${String(response.message)}`);
    return { name, sent, stored: response };
  });
  await record('refused.json', refusals, ({ name, sent, response }) => {
    if (response.kind !== 'Status') throw new Error(`${name} was accepted`);
    return { name, sent, status: response };
  });
  await recordPatches();
  await recordChanges();
  await recordStories();
} finally {
  await send('DELETE', `${definitions}/${gadgetDefinition.metadata.name}`);
  await send('DELETE', '/api/v1/namespaces/keelson-fixtures');
}

async function recordPatches(): Promise<void> {
  const deployments = '/apis/apps/v1/namespaces/keelson-fixtures/deployments';
  const before = await send('POST', deployments, patchedObject);
  const lines: string[] = [];
  for (const [name, patch] of patches) {
    const after = await send('PATCH', `${deployments}/patched?dryRun=All`, patch, strategic);
    lines.push(JSON.stringify({ name, patch, after }));
  }
  const head = JSON.stringify(before);
  writeFixture('patched.json', `{"before":${head},\n"patches":[\n${lines.join(',\n')}\n]}`);
  await send('PATCH', `${deployments}/patched`, { metadata: { finalizers: null } }, strategic);
}

async function recordChanges(): Promise<void> {
  const lines: string[] = [];
  for (const { name, path, object, change } of changes) {
    const before = await send('POST', path, object);
    if (before.kind === 'Status') throw new Error(`${name}: ${String(before.message)}`);
    const sent = structuredClone(before);
    change(sent);
    const url = `${path}/${(before.metadata as { name: string }).name}`;
    const response = await send('PUT', `${url}?dryRun=All`, sent);
    if (response.kind !== 'Status') throw new Error(`${name} was accepted`);
    lines.push(JSON.stringify({ name, before, sent, status: response }));
    await remove(url);
  }
  writeFixture('changed.json', `[\n${lines.join(',\n')}\n]`);
}

async function recordStories(): Promise<void> {
  const lines: string[] = [];
  for (const { name, path, apiVersion, kind, steps } of stories) {
    const responses: string[] = [];
    for (const step of steps) {
      const response = await take(step, path, { apiVersion, kind });
      responses.push(JSON.stringify({ ...step, response }));
    }
    await remove(`${path}/story`);
    const head = JSON.stringify({ name, apiVersion, kind }).slice(0, -1);
    lines.push(`${head},"steps":[\n${responses.join(',\n')}\n]}`);
  }
  writeFixture('stories.json', `[\n${lines.join(',\n')}\n]`);
}

async function take(
  { verb, manager, force, subresource, body }: Step,
  path: string,
  type: Json,
): Promise<Json> {
  const metadata = { ...(body.metadata as Json | undefined), name: 'story' };
  const query = `fieldManager=${manager}${force === true ? '&force=true' : ''}`;
  const below = subresource === undefined ? '' : `/${subresource}`;
  if (verb === 'create') return send('POST', `${path}?${query}`, { ...type, ...body, metadata });
  if (verb === 'merge') {
    return send('PATCH', `${path}/story${below}?${query}`, body, 'application/merge-patch+json');
  }
  const applied = { ...type, ...body, metadata };
  return send('PATCH', `${path}/story${below}?${query}`, applied, 'application/apply-patch+yaml');
}

async function remove(url: string): Promise<void> {
  await send('DELETE', `${url}?propagationPolicy=Background&gracePeriodSeconds=0`);
  await send('PATCH', url, { metadata: { finalizers: null } }, 'application/merge-patch+json');
  await gone(url);
}

async function gone(path: string): Promise<void> {
  const response = await fetch(`${server}${path}`);
  if (response.status === 404) return;
  await new Promise((resolve) => setTimeout(resolve, 100));
  await gone(path);
}

interface Recorded {
  name: string;
  sent: Json;
  response: Json;
}

async function record(
  file: string,
  list: readonly Sample[],
  lineOf: (recorded: Recorded) => Json,
): Promise<void> {
  const lines: string[] = [];
  for (const { name, path, object } of list) {
    const response = await send('POST', `${path}?dryRun=All`, object);
    lines.push(JSON.stringify(lineOf({ name, sent: object, response })));
  }
  writeFixture(file, `[\n${lines.join(',\n')}\n]`);
}

function writeFixture(file: string, text: string): void {
  writeFileSync(join(import.meta.dirname, 'fixtures', file), `${text}\n`);
}

/** Waits until the server serves a new collection. */
async function served(path: string): Promise<void> {
  const response = await fetch(`${server}${path}`);
  if (response.status === 404) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    await served(path);
  }
}

async function send(
  method: string,
  path: string,
  body?: Json,
  contentType = 'application/json',
): Promise<Json> {
  const response = await fetch(`${server}${path}`, {
    method,
    headers: { 'content-type': contentType },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Json;
}
