import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createApiServer } from '@keelson/apiserver';
import { DevProcess, OperatorProject } from './dev/operator-project.test-support.ts';
import { generateTypes } from './index.ts';
import { runProgram } from './program/program.ts';
import { recordingTerminal } from './terminal/recording-terminal.test-support.ts';
import { compile } from './types/code/compile.test-support.ts';
import { definitionWith, versionWith } from './types/code/definition.test-support.ts';
import { useSourcesInProcesses } from './project/definitions/source-condition.test-support.ts';

useSourcesInProcesses();

const role = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: own }
rules:
  - { apiGroups: [''], resources: [configmaps], verbs: [list, watch] }`;
const unused = "{ apiGroups: [''], resources: [secrets], verbs: [get] }";

describe('the promises about compilers and processes', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keelson-cli-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  async function write(name: string, text: string): Promise<string> {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  }

  test('Each served version of a definition gives one module that compiles under the strict options of TypeScript.', async () => {
    const schema = { type: 'object', properties: { size: { type: 'integer', nullable: true } } };
    const served = [versionWith(schema), versionWith(schema, { name: 'v1beta1', storage: false })];
    const modules = generateTypes([definitionWith(served)]);
    expect(modules).toHaveLength(2);
    expect(await compile(new Map(modules.map(({ path, code }) => [path, code])))).toBe('');
  });

  test('A role file changes only if its tests pass, and only where a check would refuse it.', async () => {
    await write('package.json', '{ "name": "robot" }');
    const roles = await write('role.yaml', `${role}\n  - ${unused}\n`);
    const support = fileURLToPath(new URL('rbac/operate.test-support.ts', import.meta.url));
    const words = ['rbac', '--project', folder, '--', process.execPath];
    const { terminal } = recordingTerminal();
    expect(await runProgram([...words, '-e', 'process.exit(1)'], terminal, '0.0.0')).toBe(1);
    expect(await readFile(roles, 'utf8')).toContain(unused);
    const command = [...words, '--conditions=@keelson/source', support, 'role.yaml'];
    expect(await runProgram(command, terminal, '0.0.0')).toBe(0);
    const text = await readFile(roles, 'utf8');
    expect(text).not.toContain('secrets');
    await write('role.yaml', `${role} # by hand\n`);
    expect(await runProgram(command, terminal, '0.0.0')).toBe(0);
    expect(await readFile(roles, 'utf8')).toBe(`${role} # by hand\n`);
  });

  test('A restart of the program in keelson dev keeps the objects of the server in memory.', async () => {
    await using project = await OperatorProject.create({ 'src/main.ts': printing('first') });
    await using dev = new DevProcess(project);
    const { client } = await dev.connect();
    await dev.line(/^first begins$/);
    const metadata = { namespace: 'default', name: 'a' };
    const { metadata: created } = await client.create(builtin.ConfigMap, { metadata });
    await project.write('src/main.ts', printing('second'));
    await dev.line(/^second begins$/);
    const { metadata: kept } = await client.get(builtin.ConfigMap, metadata);
    expect(kept.uid).toBe(created.uid);
    expect(await dev.end('SIGTERM')).toBe(0);
  });

  test('The program of keelson dev has ended when its next start begins, and it ends with the command, also if that is killed.', async () => {
    await using project = await OperatorProject.create({ 'src/main.ts': printing('first') });
    await using dev = new DevProcess(project);
    await dev.line(/^first begins$/);
    await project.write('src/main.ts', printing('second'));
    expect(await dev.line(/^predecessor/)).toBe('predecessor ended');
    await dev.line(/^second begins$/);
    // Resolves when the output of the program is closed.
    expect(await dev.end('SIGKILL')).toBe('SIGKILL');
  });

  test('An existing cluster gets no write by keelson dev without --install-crds.', async () => {
    await using server = await createApiServer();
    const file = await write('config', server.kubeconfig());
    await using project = await OperatorProject.create({ 'src/main.ts': printing('first') });
    const before = server.resourceVersion;
    await using dev = new DevProcess(project, '--kubeconfig', file);
    await dev.line(/^first begins$/);
    expect(await dev.end('SIGINT')).toBe(0);
    expect(server.resourceVersion).toBe(before);
  });
});

function printing(word: string): string {
  return `import { existsSync, readFileSync, writeFileSync } from "node:fs";

const file = new URL('../pid', import.meta.url);
if (existsSync(file)) console.log('predecessor', isRunning(Number(readFileSync(file))) ? 'runs' : 'ended');
writeFileSync(file, String(process.pid));
console.log('${word} begins');
setInterval(() => {}, 1000);

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
`;
}
