import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { exists } from './exists.ts';
import { openSuite } from './suite.ts';

const suite = openSuite();
const program = fileURLToPath(new URL('../../../examples/demo/src/main.ts', import.meta.url));
/** A real cluster takes long to delete the namespace of the demo. */
const TIMEOUT_MS = 120_000;

describe('the demo', () => {
  test(
    'passes all its checks and deletes its objects',
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'keelson-e2e-demo-'));
      suite.defer(() => rm(folder, { recursive: true }));
      const file = join(folder, 'kubeconfig');
      await writeFile(file, suite.kubeconfig, { mode: 0o600 });
      const isDefined = (): Promise<boolean> =>
        exists(suite.client, builtin.CustomResourceDefinition, { name: 'shops.demo.keelson.dev' });
      const wasDefined = await isDefined();
      const words = [
        '--conditions=@keelson/source',
        program,
        '--kubeconfig',
        file,
        '--shops',
        '50',
      ];
      const { stdout } = await promisify(execFile)(process.execPath, words, {
        timeout: TIMEOUT_MS,
      });
      expect(stdout).toMatch(/all \d+ checks hold/);
      const { items } = await suite.client.list(builtin.Namespace);
      expect(items.map(({ metadata }) => metadata.name)).not.toContainEqual(
        expect.stringMatching(/^keelson-demo-/),
      );
      expect(await isDefined()).toBe(wasDefined);
    },
    TIMEOUT_MS,
  );
});
