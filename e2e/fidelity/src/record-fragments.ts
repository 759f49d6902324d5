import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildBinaries, cacheFolder } from '@keelson/e2e-control-plane';
import { createTestEnvironment } from '@keelson/envtest';
import { serverOf } from './environments.ts';
import { type StepResponse, Player } from './player.ts';
import { mergeFragments } from './sessions/merge-fragments.ts';
import { readSessionKinds, type Fragment, type SessionKind } from './sessions/session-kind.ts';
import type { Step } from './step.ts';

/**
 * Records the errors and warnings of a real kube-apiserver for the fragments of random sessions. It creates the
 * base of each built-in kind with each fragment. For workloads it also sends each fragment as an update, and each
 * status. The tests of `@keelson/apiserver` compare its validation with the recorded files.
 */
const folderOfFixtures = new URL(
  '../../../packages/toolkit/apiserver/data/fixtures/',
  import.meta.url,
);
const changedKinds = new Set(['Deployment', 'ReplicaSet', 'StatefulSet', 'Job', 'CronJob', 'Pod']);

function objectOf(kind: SessionKind, ...fragments: Fragment[]): Fragment {
  const identity = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: 'one' } };
  return mergeFragments([identity, kind.base, ...fragments]);
}

function creationsOf(kind: SessionKind): Step[] {
  return kind.fragments.map((fragment, index) => ({
    name: `${kind.kind} ${index + 1}`,
    request: `POST ${kind.path}?dryRun=All`,
    body: objectOf(kind, fragment),
  }));
}

/** The steps that update one object; the first step creates it. */
function changesOf(kind: SessionKind): Step[] {
  const before = {
    name: `${kind.kind} before`,
    request: `POST ${kind.path}`,
    body: objectOf(kind),
  };
  const changes = kind.fragments.map((fragment, index) => ({
    name: `${kind.kind} to ${index + 1}`,
    request: `PUT ${kind.path}/one?dryRun=All`,
    body: objectOf(kind, fragment),
  }));
  const statuses = (kind.statuses ?? []).map((status, index) => ({
    name: `${kind.kind} to status ${index + 1}`,
    request: `PUT ${kind.path}/one/status?dryRun=All`,
    body: objectOf(kind, { status }),
  }));
  return [before, ...changes, ...statuses];
}

function lineOf({ step, status, body, warnings }: StepResponse, sent: unknown): string {
  if (step.endsWith(' before')) return JSON.stringify({ name: step, stored: body });
  const causes = Reflect.get(Object(Reflect.get(Object(body), 'details')), 'causes') ?? [];
  return JSON.stringify({ name: step, sent, status, causes, warnings });
}

async function record(name: string, steps: readonly Step[]): Promise<void> {
  const [, ...responses] = await player.play({ name: name.replace('.json', ''), steps });
  const lines = responses.map((response, index) => lineOf(response, steps[index]?.body));
  const target = fileURLToPath(new URL(name, folderOfFixtures));
  await writeFile(target, `[\n${lines.join(',\n')}\n]\n`);
  console.error(`${lines.length} responses recorded in ${name}`);
}

const folder = await cacheFolder(process.env);
const onProgress = (line: string): void => console.error(line);
await buildBinaries({ binaries: ['etcd', 'kube-apiserver'], folder, onProgress });
await using environment = await createTestEnvironment({
  use: 'binaries',
  assets: folder,
  controllers: [],
});
const player = new Player(await serverOf('kube-apiserver', environment));
try {
  const kinds = (await readSessionKinds()).filter(({ isCustom }) => isCustom !== true);
  const changed = kinds.filter(({ kind }) => changedKinds.has(kind));
  await record('fragments.json', kinds.flatMap(creationsOf));
  await record('fragment-changes.json', changed.flatMap(changesOf));
} finally {
  await player.close();
}
