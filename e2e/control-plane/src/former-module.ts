import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { moduleFolder } from './cache-folder.ts';

const run = promisify(execFile);

/** `go mod tidy` finds the modules of the server by it. */
const imports = `//go:build tools

package former

import _ "k8s.io/kubernetes/cmd/kube-apiserver"
`;

/**
 * Writes a Go module that requires one version of Kubernetes, `v1.X.Y`, into a folder. Its `go.sum` is not committed: Go checks
 * each module with the public checksum database instead (https://go.dev/ref/mod#checksum-database).
 */
export async function writeFormerModule(folder: string, version: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'imports.go'), imports);
  await writeFile(join(folder, 'go.mod'), moduleText(version, await stagedModules(version)));
  await run('go', ['mod', 'tidy'], { cwd: folder, env: { ...process.env, GOFLAGS: '-mod=mod' } });
}

/** The modules that Kubernetes itself replaces by its folder `staging`. They are published as `v0.X.Y`. */
async function stagedModules(version: string): Promise<readonly string[]> {
  const args = ['mod', 'download', '-json', `k8s.io/kubernetes@${version}`];
  const { stdout } = await run('go', args, { cwd: moduleFolder });
  const text = await readFile((JSON.parse(stdout) as { GoMod: string }).GoMod, 'utf8');
  return [...text.matchAll(/^\s*(?:replace )?(k8s\.io\/\S+) => \.\/staging\//gm)].map(
    ([, path = '']) => path,
  );
}

function moduleText(version: string, staged: readonly string[]): string {
  const published = version.replace(/^v1\./, 'v0.');
  return [
    'module keelson.dev/former',
    '',
    'go 1.24.0',
    '',
    `require k8s.io/kubernetes ${version}`,
    '',
    'replace (',
    ...staged.map((path) => `\t${path} => ${path} ${published}`),
    ')',
    '',
  ].join('\n');
}
