import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const cli = fileURLToPath(import.meta.resolve('@keelson/cli/package.json'));

const role = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'website-operator' },
  rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
};

/** Writes the manifests of an operator into an empty folder with `keelson manifests`. Returns the reader of a file of them. */
export async function writeManifests(
  project: string,
): Promise<(component: string) => Promise<string>> {
  await mkdir(join(project, 'config'));
  const manifest = { name: 'website-operator', version: '1.0.0', keelson: {} };
  await writeFile(join(project, 'package.json'), JSON.stringify(manifest));
  await writeFile(join(project, 'config/role.yaml'), JSON.stringify(role));
  const bin = join(cli, '../src/program/bin.ts');
  const args = ['--conditions=@keelson/source', bin, 'manifests', '--project', project];
  await promisify(execFile)(process.execPath, args);
  return (component) => readFile(join(project, 'deploy/kustomize/components', component), 'utf8');
}
