import { describe, expect, test } from '@jest/globals';
import { tokenAuthenticator } from './authenticator.ts';
import { parseTokenFile } from './token-file.ts';

describe('parseTokenFile', () => {
  test('parses users with and without groups in kube-apiserver’s format', () => {
    const users = parseTokenFile(
      't1,ada,uid-1,"devs, ops"\n\nt2,bob,uid-2\n"t""3",eve,uid-3,solo\n',
    );
    expect([...users]).toEqual([
      ['t1', { name: 'ada', uid: 'uid-1', groups: ['devs', 'ops'] }],
      ['t2', { name: 'bob', uid: 'uid-2', groups: [] }],
      ['t"3', { name: 'eve', uid: 'uid-3', groups: ['solo'] }],
    ]);
  });

  test.each([
    ['a line without a user', 'secret-token\n'],
    ['an empty token', ',ada,uid\n'],
    ['a repeated token', 'secret-token,ada,1\nsecret-token,bob,2\n'],
  ])('rejects %s with the number of the line, without the token', (_, text) => {
    expect(() => parseTokenFile(text)).toThrow(
      expect.objectContaining({
        code: 'TOKEN_FILE_INVALID',
        message: expect.not.stringContaining('secret-token'),
      }),
    );
  });
});

describe('tokenAuthenticator', () => {
  const tokens = parseTokenFile('t1,ada,uid-1,devs');
  const open = tokenAuthenticator({ tokens, anonymousAuth: true });
  const closed = tokenAuthenticator({ tokens, anonymousAuth: false });

  test('a known token identifies its user as authenticated', () => {
    expect(open.authenticate('Bearer t1')).toEqual({
      name: 'ada',
      uid: 'uid-1',
      groups: ['devs', 'system:authenticated'],
    });
  });

  test('a request without credentials is anonymous only if that is allowed', () => {
    expect(open.authenticate(undefined)?.name).toBe('system:anonymous');
    expect(closed.authenticate(undefined)).toBeUndefined();
  });

  test.each(['Bearer t2', 'Bearer ', 'Basic YTpi', 't1'])(
    '%j is rejected and never anonymous',
    (header) => {
      expect(open.authenticate(header)).toBeUndefined();
    },
  );
});
