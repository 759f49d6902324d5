import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { createClient } from '@keelson/client';
import { createTestEnvironment, readRecordedRoles, type TestEnvironment } from '../index.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-records-'));
});

afterEach(() => rm(folder, { recursive: true }));

const records = (): string => join(folder, 'records');

async function observed(check: (environment: TestEnvironment) => Promise<unknown>): Promise<void> {
  const env = { KEELSON_RECORD_ROLES: records() };
  await using environment = await createTestEnvironment({ use: 'memory', env });
  const { cluster } = await environment.addUser({ name: 'robot', groups: ['system:masters'] });
  await using client = createClient({ cluster });
  await client.get(builtin.Node, { name: 'one' }).catch(() => undefined);
  await check(environment);
}

describe('the record of a check of roles', () => {
  test('replaces the comparison with one file, which may be missing', async () => {
    await observed(async (environment) => {
      await environment.checkRoles('robot', 'config/missing.yaml');
      await environment.checkRoles('robot', [join(folder, 'b.yaml')]);
      await environment.checkRoles('robot', join(folder, 'b.yaml'));
    });
    const recorded = await readRecordedRoles(records());
    expect(recorded.map(({ file }) => file).toSorted()).toEqual(
      [resolve('config/missing.yaml'), join(folder, 'b.yaml')].toSorted(),
    );
    expect(recorded[0]?.update([]).roles).toMatchObject([
      { metadata: { name: 'robot' }, rules: [{ resources: ['nodes'], verbs: ['get'] }] },
    ]);
  });

  test('is not written for objects and for several files, which are compared', async () => {
    await observed(async (environment) => {
      for (const roles of [[], ['a.yaml', 'b.yaml']]) {
        const check = environment.checkRoles('robot', roles);
        await expect(check).rejects.toMatchObject({ code: 'ROLES_NOT_FOUND' });
      }
    });
    await expect(readdir(records())).rejects.toThrow('ENOENT');
  });

  test('still needs a user that sent requests', async () => {
    await observed(async (environment) => {
      const check = environment.checkRoles('other', 'a.yaml');
      await expect(check).rejects.toMatchObject({ code: 'USER_NOT_OBSERVED' });
    });
  });

  test.each(['{', 'null', '{ "format": 2 }', '{ "format": 1 }'])(
    'is refused if it is %s',
    async (text) => {
      await writeFile(join(folder, 'a.json'), text);
      await expect(readRecordedRoles(folder)).rejects.toMatchObject({
        code: 'ROLE_RECORD_INVALID',
        facts: { record: join(folder, 'a.json') },
      });
    },
  );
});
