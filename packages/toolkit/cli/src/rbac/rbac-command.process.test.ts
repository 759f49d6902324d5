import { mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';

/** Child processes start slowly on a busy machine. */
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-rbac-test-'));
  await writeFile(join(folder, 'package.json'), '{ "name": "robot" }');
  await mkdir(join(folder, 'config'));
});

afterEach(() => rm(folder, { recursive: true }));

const roleFile = (): string => join(folder, 'config/role.yaml');
const support = fileURLToPath(new URL('operate.test-support.ts', import.meta.url));
const node = [process.execPath, '--conditions=@keelson/source'];

/** The command of a test that checks a file after these actions. */
const operate = (...actions: readonly string[]): readonly string[] => [
  ...node,
  support,
  'config/role.yaml',
  ...actions,
];

async function run(
  options: readonly string[],
  command: readonly string[],
): Promise<{ code: number; out: string; err: string }> {
  const { terminal, out, err } = recordingTerminal();
  const words = ['rbac', '--project', folder, ...options, '--', ...command];
  return { code: await runProgram(words, terminal, '1.2.3'), out: out(), err: err() };
}

const maps = "{ apiGroups: [''], resources: [configmaps], verbs: [get, list, watch] }";

describe('keelson rbac', () => {
  test('names a role file that is invalid, and updates the others', async () => {
    await writeFile(join(folder, 'config/bad.yaml'), 'a: [');
    const checks = ['config/bad.yaml', 'config/role.yaml'].map((file) =>
      [...node, support, file].map((word) => `'${word}'`).join(' '),
    );
    const { code, out, err } = await run([], ['sh', '-c', checks.join(' && ')]);
    expect({ code, out }).toEqual({ code: 1, out: expect.stringContaining('config/role.yaml\n+') });
    expect(err).toMatch(/^error: ROLE_FILE_INVALID: .*\(file=.*config\/bad\.yaml, /);
    expect(await readFile(roleFile(), 'utf8')).toContain('configmaps');
  });

  test('writes the role file, and later only its differences, with the names and other documents', async () => {
    expect(await run([], operate())).toEqual({
      code: 0,
      out: `config/role.yaml\n+ ClusterRole robot: ${maps}\n`,
      err: '',
    });
    const written = await readFile(roleFile(), 'utf8');
    const account = '# The account.\nkind: ServiceAccount # of the operator\n---\n# The role.\n';
    const own = `${account}${written.replace('name: robot', 'name: own-name')}`;
    await writeFile(roleFile(), own);
    expect(await run(['--check'], operate())).toEqual({
      code: 0,
      out: 'config/role.yaml is up to date\n',
      err: '',
    });
    const { out } = await run([], operate('create', 'lease'));
    expect(out.split('\n')).toEqual([
      'config/role.yaml',
      "+ ClusterRole own-name: { apiGroups: [''], resources: [configmaps], verbs: [create] }",
      '+ Role default/own-name: { apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, watch, create, update] }',
      '',
    ]);
    const text = await readFile(roleFile(), 'utf8');
    expect(text).toMatch(
      /^# The account\.\nkind: ServiceAccount # of the operator\n---\n# The role\.\napiVersion: /,
    );
    expect(text).toContain('\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: Role\n');
    expect(await run(['--check'], operate('create', 'lease'))).toMatchObject({ code: 0 });
  });

  test('removes rules that no request needed, and keeps those of mayExceed', async () => {
    await writeFile(
      roleFile(),
      `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: own, labels: { app: robot } }
rules:
  - { apiGroups: [''], resources: [configmaps, secrets], verbs: [get, list, watch] }
  - { apiGroups: [batch], resources: [jobs], verbs: [create] }
`,
    );
    const before = await readFile(roleFile(), 'utf8');
    const removed =
      "config/role.yaml\n- ClusterRole own: { apiGroups: [''], resources: [secrets], verbs: [get, list, watch] }\n";
    expect(await run(['--check'], operate())).toEqual({
      code: 1,
      out: '',
      err: `${removed}The roles are not up to date: run the command without --check.\n`,
    });
    expect(await readFile(roleFile(), 'utf8')).toBe(before);
    expect(await run([], operate())).toEqual({ code: 0, out: removed, err: '' });
    const text = await readFile(roleFile(), 'utf8');
    expect(text).toContain('  labels:\n    app: robot\n');
    expect(text).toContain('jobs');
    expect(text).not.toContain('secrets');
  });

  test('merges the records of several processes', async () => {
    const script = `
      const { execFileSync } = require('node:child_process');
      const [node, condition, file] = ${JSON.stringify([...node, support])};
      for (const action of ['create', 'lease'])
        execFileSync(node, [condition, file, 'config/role.yaml', action]);
    `;
    const { code, out } = await run([], [process.execPath, '-e', script]);
    expect(code).toBe(0);
    expect(out).toContain('verbs: [get, list, watch, create]');
    expect(out).toContain('resources: [leases]');
    expect(await run(['--check'], [process.execPath, '-e', script])).toMatchObject({ code: 0 });
  });

  test.each<[string, readonly string[], object]>([
    ['exits with another code', [process.execPath, '-e', 'process.exit(3)'], { exitCode: '3' }],
    ['does not exist', ['keelson-missing'], { reason: 'ENOENT' }],
  ])('writes nothing if the command %s', async (_, command, facts) => {
    const { code, out, err } = await run([], command);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error: COMMAND_FAILED/);
    for (const [name, value] of Object.entries(facts)) {
      expect(err).toMatch(new RegExp(`${name}=.*${String(value)}`));
    }
    expect(await readdir(join(folder, 'config'))).toEqual([]);
  });

  test.each(['file', 'folder', 'missing file'])(
    'does not write through a link out of the project: %s',
    async (kind) => {
      const outside = await mkdtemp(join(tmpdir(), 'keelson-outside-'));
      try {
        if (kind === 'folder') {
          await rm(join(folder, 'config'), { recursive: true });
          await symlink(outside, join(folder, 'config'));
        } else {
          await symlink(join(outside, 'role.yaml'), roleFile());
        }
        if (kind === 'file') await writeFile(join(outside, 'role.yaml'), '');
        const { code, err } = await run([], operate());
        expect({ code, err }).toEqual({
          code: 1,
          err: expect.stringMatching(/^error: ROLES_NOT_RECORDED: .*role\.yaml/),
        });
        const text = await readFile(join(outside, 'role.yaml'), 'utf8').catch(() => '');
        expect(text).toBe('');
      } finally {
        await rm(outside, { recursive: true });
      }
    },
  );

  test('reports a command that checks no file of the project, and names others', async () => {
    const nothing = await run([], [process.execPath, '-e', '']);
    expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining('ROLES_NOT_RECORDED') });
    const other = join(folder, '../other.yaml');
    const { code, err } = await run([], [...node, support, other]);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`others=${other}`) });
    await expect(stat(other)).rejects.toThrow('ENOENT');
  });

  test('exits with 2 for an unknown option', async () => {
    const { terminal, err } = recordingTerminal();
    expect(await runProgram(['rbac', '--chekc'], terminal, '1.2.3')).toBe(2);
    expect(err()).toContain('--check');
  });

  test('--help shows examples and exit codes', async () => {
    const { terminal, out } = recordingTerminal();
    expect(await runProgram(['rbac', '--help'], terminal, '1.2.3')).toBe(0);
    for (const part of ['Usage: keelson rbac', '--check', 'Examples:', 'Exit codes:']) {
      expect(out()).toContain(part);
    }
  });
});
