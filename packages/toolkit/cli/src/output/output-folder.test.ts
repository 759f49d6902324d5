import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { differencesOf, update } from './output-folder.ts';

test('an update accepts that another process has made it meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-output-'));
  try {
    await writeFile(join(folder, 'stale.yaml'), '# made');
    const files = [{ path: 'new/a.yaml', text: '# made\n' }];
    const output = { folder, files, mark: '# made', mayBeStale: ['stale.yaml'] };
    const differences = await differencesOf(output);
    expect(differences.map(({ state }) => state)).toEqual(['missing', 'stale']);
    await update(output, differences);
    await update(output, differences);
    expect(await differencesOf(output)).toEqual([]);
    expect(await readdir(folder)).toEqual(['new']);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('an output folder that cannot be made is one error', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-output-'));
  try {
    await writeFile(join(folder, 'file'), '');
    const paths = ['a.yaml', 'b.yaml'];
    const files = paths.map((path) => ({ path, text: '' }));
    const output = { folder: join(folder, 'file'), files, mark: '', mayBeStale: [] };
    const differences = paths.map((path) => ({ path, state: 'missing' as const }));
    const { changed, failures } = await update(output, differences);
    expect(changed).toEqual([]);
    expect(() => failures.throwAny()).toThrow(
      expect.objectContaining({
        errors: [
          expect.objectContaining({
            code: 'OUTPUT_FAILED',
            facts: expect.objectContaining({ file: output.folder }),
          }),
        ],
      }),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
