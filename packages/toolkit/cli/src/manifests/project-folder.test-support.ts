import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';
import { definitionOf } from './manifests.test-support.ts';

/** The output and the exit code of a run. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The folder of an operator with one kind and one role. */
export class ProjectFolder implements AsyncDisposable {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async create(keelson: object = {}): Promise<ProjectFolder> {
    const folder = new ProjectFolder(await mkdtemp(join(tmpdir(), 'keelson-manifests-')));
    const definition = definitionOf('websites', 'web.example.com', 'Website');
    await folder.describe(keelson);
    await folder.write('config/crd/websites.json', JSON.stringify(definition));
    await folder.write('config/role.yaml', roleText);
    return folder;
  }

  /** Writes `package.json`. */
  async describe(keelson: object): Promise<void> {
    const members = { name: 'website-operator', version: '1.2.0' };
    const all = { kinds: ['src/website.ts'], namespace: 'websites', ...keelson };
    await this.write('package.json', JSON.stringify({ ...members, keelson: all }));
  }

  async write(path: string, text: string): Promise<void> {
    const file = join(this.path, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }

  /** Runs `keelson manifests` for the folder. */
  async run(...words: readonly string[]): Promise<Outcome> {
    const { terminal, out, err } = recordingTerminal();
    const all = ['manifests', '--project', this.path, ...words];
    return { code: await runProgram(all, terminal, '0.0.0'), out: out(), err: err() };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.path, { recursive: true });
  }
}

const roleText = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: website-operator
rules:
  - apiGroups: [web.example.com]
    resources: [websites]
    verbs: [get, list, watch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: website-operator
rules:
  - apiGroups: [coordination.k8s.io]
    resources: [leases]
    verbs: [get, create, update, watch]
`;
