import { describe, expect, test } from '@jest/globals';
import { errorDocs } from '@keelson/apimachinery';
import { runProgram } from '../program/program.ts';
import { recordingTerminal } from '../terminal/recording-terminal.test-support.ts';
import { errorEntries, readErrorsPage, similarCodes } from './errors-page.ts';

async function why(
  ...words: readonly string[]
): Promise<{ code: number; out: string; err: string }> {
  const { terminal, out, err } = recordingTerminal();
  const code = await runProgram(['why', ...words], terminal, '1.2.3');
  return { code, out: out(), err: err() };
}

const codes = [...errorEntries(readErrorsPage()).keys()];

describe('keelson why', () => {
  test.each(codes)('prints cause, cure and address of %s', async (code) => {
    const { code: exitCode, out, err } = await why(code);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect(out).toMatch(new RegExp(`^${code} \\((@keelson/[a-z-]+|create-keelson)`));
    expect(out).toMatch(/^Cause\. /m);
    expect(out).toMatch(/^Cure\. /m);
    expect(out.trimEnd().endsWith(errorDocs(code))).toBe(true);
    expect(out).not.toMatch(/\*\*|\]\(/);
  });

  test('knows every package, and a code in lower case', async () => {
    const { out } = await why('--list');
    expect(out).toContain('CACHE_SYNC_TIMEOUT (@keelson/manager)');
    expect(out.trimEnd().split('\n')).toHaveLength(codes.length);
    expect((await why('cache_sync_timeout')).code).toBe(0);
  });

  test('an unknown code exits with 1 and names similar ones', async () => {
    expect(similarCodes(codes, 'SYNC_TIMEOUT')[0]).toBe('CACHE_SYNC_TIMEOUT');
    expect(await why('sync_timeout')).toEqual({
      code: 1,
      out: '',
      err: expect.stringContaining('CACHE_SYNC_TIMEOUT'),
    });
    expect((await why('X')).err).toContain('--list');
  });

  test('without a code exits with 2', async () => {
    expect(await why()).toMatchObject({ code: 2, err: expect.stringContaining('--list') });
  });
});
