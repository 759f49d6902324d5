import { describe, expect, test } from '@jest/globals';
import { durationProblem } from './request-timeout.ts';
import { clientOfRunningServer } from '../server/running-server.test-support.ts';

describe('durationProblem', () => {
  test.each(['0', '+0', '1s', '-1.5h', '1m2.25s', '.5ms', '1µs', '9223372036s'])(
    'accepts %s',
    (text) => expect(durationProblem(text)).toBeUndefined(),
  );

  test.each([
    ['invalid', 'invalid duration "invalid"'],
    ['-', 'invalid duration "-"'],
    ['.s', 'invalid duration ".s"'],
    ['5', 'missing unit in duration "5"'],
    ['1m2', 'missing unit in duration "1m2"'],
    ['3d', 'unknown unit "d" in duration "3d"'],
    ['1ms2x', 'unknown unit "x" in duration "1ms2x"'],
    ['1"s', String.raw`unknown unit "\"s" in duration "1\"s"`],
    ['1ä', String.raw`unknown unit "\xc3\xa4" in duration "1\xc3\xa4"`],
    ['9223372037s', 'invalid duration "9223372037s"'],
  ])('rejects %s in the words of Go', (text, problem) => {
    expect(durationProblem(text)).toBe(problem);
  });
});

describe('The parameter timeout', () => {
  const client = clientOfRunningServer();

  test('an invalid duration is rejected on every path, but not on a watch', async () => {
    const paths = ['/api/v1/configmaps', '/version', '/nothing'];
    const responses = await Promise.all(paths.map((path) => client.get(`${path}?timeout=a`)));
    expect(responses.map(({ code, body }) => [code, body.message])).toEqual(
      paths.map(() => [
        400,
        'invalid timeout specified in the request URL - time: invalid duration "a"',
      ]),
    );
    await using watch = await client.watch('/api/v1/configmaps?watch=1&timeout=a');
    expect(watch.code).toBe(200);
  });
});
