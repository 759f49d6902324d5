import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildBinaries, cacheFolder } from '@keelson/e2e-control-plane';
import { createTestEnvironment } from '@keelson/envtest';
import { serverOf } from './environments.ts';
import { Player } from './player.ts';
import { mergeFragments } from './sessions/merge-fragments.ts';
import { readSessionKinds, type Fragment, type SessionKind } from './sessions/session-kind.ts';
import type { Step } from './step.ts';

/**
 * Records why a real kube-apiserver refuses the objects that random sessions are put together from: the base of each
 * built-in kind with each fragment. The tests of `@keelson/apiserver` compare its validation with the file.
 */
const target = fileURLToPath(
  new URL('../../../packages/apiserver/data/fixtures/fragments.json', import.meta.url),
);

function objectOf(kind: SessionKind, fragment: Fragment): Fragment {
  const identity = { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { name: 'one' } };
  return mergeFragments([identity, kind.base, fragment]);
}

function stepsOf(kind: SessionKind): Step[] {
  return kind.fragments.map((fragment, index) => ({
    name: `${kind.kind} ${index + 1}`,
    request: `POST ${kind.path}?dryRun=All`,
    body: objectOf(kind, fragment),
  }));
}

const folder = await cacheFolder(process.env);
const onProgress = (line: string): void => console.error(line);
await buildBinaries({ binaries: ['etcd', 'kube-apiserver'], folder, onProgress });
await using environment = await createTestEnvironment({ use: 'binaries', assets: folder });
const player = new Player(await serverOf('kube-apiserver', environment));
try {
  const kinds = (await readSessionKinds()).filter(({ isCustom }) => isCustom !== true);
  const steps = kinds.flatMap(stepsOf);
  const [, ...answers] = await player.play({ name: 'fragments', steps });
  const lines = answers.map(({ step, status, body }, index) => {
    const causes = Reflect.get(Object(Reflect.get(Object(body), 'details')), 'causes') ?? [];
    return JSON.stringify({ name: step, sent: steps[index]?.body, status, causes });
  });
  await writeFile(target, `[\n${lines.join(',\n')}\n]\n`);
  console.error(`${lines.length} objects recorded`);
} finally {
  await player.close();
}
