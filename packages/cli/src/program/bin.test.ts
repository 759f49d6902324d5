import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { definitionWith, versionWith } from '../types/code/definition.test-support.ts';

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

function start(...words: readonly string[]): ChildProcessWithoutNullStreams {
  const options = ['--conditions=@keelson/source', fileOf('bin.ts')];
  return spawn(process.execPath, [...options, ...words]);
}

async function codeOf(child: ChildProcessWithoutNullStreams): Promise<unknown> {
  const [code] = (await once(child, 'close')) as unknown[];
  return code;
}

describe('the process of keelson', () => {
  test('prints the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(fileOf('../../package.json'), 'utf8')) as {
      version: string;
    };
    const child = start('--version');
    const [out, code] = await Promise.all([text(child.stdout), codeOf(child)]);
    expect({ out, code }).toEqual({ out: `${version}\n`, code: 0 });
  });

  test('exits with the code of the command', async () => {
    const child = start('types', 'missing.yaml');
    const [err, code] = await Promise.all([text(child.stderr), codeOf(child)]);
    expect({ err, code }).toEqual({ err: expect.stringMatching(/^error: SOURCE_UNR/), code: 1 });
  });

  test.each([
    ['interface A { readonly crd: object }\nexport const a = { crd } satisfies A;', '', 0],
    ['enum A { a }\nexport const a = { crd };', 'error: MODULE_FAILED: ', 1],
  ])('removes the types of a kind module, and no more: %s', async (code, error, expected) => {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-bin-'));
    try {
      const file = join(folder, 'kind.ts');
      const definition = definitionWith([versionWith({ type: 'object' })]);
      await writeFile(file, `const crd: object = ${JSON.stringify(definition)};\n${code}\n`);
      const child = start('crd', 'generate', file);
      const [out, err, exitCode] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        codeOf(child),
      ]);
      expect({ err: err.slice(0, error.length), exitCode }).toEqual({
        err: error,
        exitCode: expected,
      });
      expect(out.includes('name: widgets.shop.example')).toBe(expected === 0);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test('ends quietly if the reader of its output closes early, as head does', async () => {
    const child = start('types', fileOf('../types/guide/widgets.test-data.yaml'));
    child.stdout.destroy();
    const [err, code] = await Promise.all([text(child.stderr), codeOf(child)]);
    expect({ err, code }).toEqual({ err: '', code: 0 });
  });
});
