import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '@keelson/e2e-control-plane';
import { kubernetesModule } from './module-folder.ts';

/**
 * Returns the path of Kubernetes' compiled end-to-end tests. Compiles them into the cache if they are missing: about ten
 * minutes on two cores.
 */
export async function compileSpecs(): Promise<string> {
  const sums = await readFile(join(kubernetesModule, 'go.sum'));
  const digest = createHash('sha256').update(sums).digest('hex').slice(0, 12);
  const folder = await cacheFolder(process.env);
  const program = join(folder, `kubernetes-specs-${digest}`);
  if ((await stat(program).catch(() => undefined)) !== undefined) return program;
  console.error("compiling Kubernetes' end-to-end tests, about ten minutes …");
  await mkdir(folder, { recursive: true });
  const partial = `${program}.${process.pid}.part`;
  const args = ['test', '-c', '-o', partial, 'k8s.io/kubernetes/test/e2e'];
  await promisify(execFile)('go', args, { cwd: kubernetesModule, maxBuffer: 2 ** 26 });
  await rename(partial, program);
  return program;
}
