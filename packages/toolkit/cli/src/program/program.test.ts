import { describe, expect, test } from '@jest/globals';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';
import { runProgram } from './program.ts';

async function run(
  ...words: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const { terminal, out, err } = recordingTerminal();
  const code = await runProgram(words, terminal, '1.2.3');
  return { code, out: out(), err: err() };
}

describe('keelson', () => {
  test.each(['--help', '-h', 'help'])('%s lists the commands and exits with 0', async (word) => {
    const { code, out, err } = await run(word);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^ {2}types .*TypeScript/m);
  });

  test('--help names the pages of the guides and of the errors', async () => {
    expect((await run('--help')).out).toMatch(/^Errors: https:.*\/docs\/errors\.md$/m);
  });

  test('--help of a command shows durations with their unit', async () => {
    expect((await run('doctor', '--help')).out).toContain('(default: 10s)');
  });

  test.each(['types', 'crd generate', 'crd diff', 'rbac', 'manifests', 'dev', 'doctor', 'why'])(
    '%s --help has examples and the exit codes',
    async (words) => {
      const { code, out } = await run(...words.split(' '), '--help');
      expect(code).toBe(0);
      expect(out).toMatch(new RegExp(`^Examples:\\n {2}keelson ${words}`, 'm'));
      expect(out).toMatch(/^Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 {2}an invalid command line$/m);
    },
  );

  test('--version prints the version', async () => {
    expect(await run('--version')).toEqual({ code: 0, out: '1.2.3\n', err: '' });
  });

  test('without a command prints the help to the standard error and exits with 2', async () => {
    const { code, out, err } = await run();
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: keelson');
  });

  test('an unknown command or option exits with 2 and a suggestion', async () => {
    expect(await run('tpyes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean types?'),
    });
    expect(await run('--verion')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--version'),
    });
  });

  test.each([
    ['types', 'crds', '-o', ''],
    ['types', 'crds', '--from', ''],
    ['crd', 'generate', '--project', ''],
    ['manifests', '--output='],
    ['rbac', '--project', ''],
    ['doctor', '--context', ''],
    ['dev', '--kubeconfig', ''],
  ])('an empty value of an option exits with 2 and names the option: %s', async (...words) => {
    const { code, err } = await run(...words);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(/^error: option '.*--\w+ <\w+>' must not be empty\n/),
    });
  });
});
