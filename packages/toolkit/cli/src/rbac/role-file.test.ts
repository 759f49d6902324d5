import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { RoleFile } from './role-file.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-role-file-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function write(text: string): Promise<string> {
  const file = join(folder, 'role.yaml');
  await writeFile(file, text);
  return file;
}

const apiVersion = 'rbac.authorization.k8s.io/v1';

function role(name: string, ...verbs: string[]): object {
  const rules = [{ apiGroups: [''], resources: ['pods'], verbs }];
  return { apiVersion, kind: 'ClusterRole', metadata: { name }, rules };
}

const text = (name: string): string => `apiVersion: ${apiVersion}
kind: ClusterRole # ${name}
metadata: { name: ${name} }
`;

const yaml = (name: string, verb: string): string => `apiVersion: ${apiVersion}
kind: ClusterRole
metadata:
  name: ${name}
rules:
  - apiGroups:
      - ''
    resources:
      - pods
    verbs:
      - ${verb}
`;

describe('a role file', () => {
  test('changes only the documents of changed roles', async () => {
    const other = 'kind: ConfigMap\ndata:\n  text: |\n    kind: Role\n     ---\n';
    const file = await write(`# top\n${text('a')}--- # two\n${other}---\n\n# b\n${text('b')}`);
    const found = await RoleFile.read(file);
    const [a] = found.roles;
    expect(found.roles).toHaveLength(2);
    await found.write([...(a ? [a] : []), role('b', 'get'), role('c', 'list')]);
    expect(await readFile(file, 'utf8')).toBe(
      `# top\n${text('a')}--- # two\n${other}---\n\n# b\n${yaml('b', 'get')}---\n${yaml('c', 'list')}`,
    );
  });

  test.each(['{ a: 5 }', '[null]', '[{ verbs: get }]'])('refuses the rules %s', async (rules) => {
    const file = await write(`${text('a')}rules: ${rules}\n`);
    await expect(RoleFile.read(file)).rejects.toMatchObject({
      code: 'ROLE_FILE_INVALID',
      facts: { file, reason: expect.stringContaining('path=rules') },
    });
  });

  test('keeps a comment after a byte order mark', async () => {
    const file = await write(`\uFEFF# top\n${text('a')}`);
    await (await RoleFile.read(file)).write([role('a', 'get')]);
    expect(await readFile(file, 'utf8')).toBe(`# top\n${yaml('a', 'get')}`);
  });

  test('keeps its text if no role changes, and adds the end of the last line before a new role', async () => {
    const file = await write(`---\n${text('a')}`);
    const found = await RoleFile.read(file);
    await found.write(found.roles);
    expect(await readFile(file, 'utf8')).toBe(`---\n${text('a')}`);
    const short = await write(text('a').trimEnd());
    const again = await RoleFile.read(short);
    await again.write([...again.roles, role('b', 'get')]);
    expect((await RoleFile.read(short)).roles).toHaveLength(2);
  });

  test('keeps the ends of lines of Windows', async () => {
    const file = await write(text('a').replaceAll('\n', '\r\n'));
    const found = await RoleFile.read(file);
    await found.write([role('a', 'get')]);
    expect(await readFile(file, 'utf8')).not.toMatch(/[^\r]\n/);
    expect((await RoleFile.read(file)).roles).toEqual([role('a', 'get')]);
  });

  test('is created with its folder', async () => {
    const file = join(folder, 'config/rbac/role.yaml');
    const found = await RoleFile.read(file);
    expect(found.roles).toEqual([]);
    await found.write([role('a', 'get')]);
    expect((await RoleFile.read(file)).roles).toEqual([role('a', 'get')]);
  });

  test('ignores roles of other groups, such as those of a cloud', async () => {
    const file = await write('apiVersion: iam.example/v1\nkind: Role\n');
    expect((await RoleFile.read(file)).roles).toEqual([]);
  });

  test.each([
    ['kind: [', 'role.yaml'],
    ['kind: Role\n--- { kind: Role }\n', 'role.yaml'],
    ['{}', 'role.json'],
  ])('refuses %j in %s', async (content, name) => {
    const file = join(folder, name);
    await writeFile(file, content);
    await expect(RoleFile.read(file)).rejects.toMatchObject({
      code: 'ROLE_FILE_INVALID',
      facts: { file, reason: expect.any(String) },
    });
  });

  test('refuses a folder', async () => {
    const file = join(folder, 'role.yaml');
    await mkdir(file);
    await expect(RoleFile.read(file)).rejects.toMatchObject({ code: 'ROLE_FILE_INVALID' });
  });
});
