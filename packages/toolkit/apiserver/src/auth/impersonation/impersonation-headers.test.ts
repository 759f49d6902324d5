import { describe, expect, test } from '@jest/globals';
import { takeWantedUser } from './impersonation-headers.ts';

type Lists = Record<string, string[]>;

/** A request with these headers, in the form of Node.js. */
function incomingWith(headersDistinct: Lists): Parameters<typeof takeWantedUser>[0] {
  const joined = Object.entries(headersDistinct).map(([name, values]) => [name, values.join(', ')]);
  return { headers: Object.fromEntries(joined), headersDistinct };
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');

describe('takeWantedUser', () => {
  const name = { 'impersonate-user': ['bob'] };

  test.each<[string, Lists, object | undefined]>([
    ['no headers', { accept: ['*/*'] }, undefined],
    ['empty values', { 'impersonate-user': [''], 'impersonate-uid': [''] }, undefined],
    ['a name', name, { name: 'bob', groups: [] }],
    ['two names', { 'impersonate-user': ['bob', 'eve'] }, { name: 'bob', groups: [] }],
    ['UTF-8', { 'impersonate-user': [latin1('Łuk')] }, { name: 'Łuk', groups: [] }],
    [
      'groups, one of them with a comma',
      { ...name, 'impersonate-group': ['a, b', 'a', ''] },
      { name: 'bob', groups: ['a, b', 'a', ''] },
    ],
    ['a uid', { ...name, 'impersonate-uid': ['7'] }, { name: 'bob', uid: '7', groups: [] }],
    [
      'extra values with repeated and invalidly encoded keys',
      {
        ...name,
        'impersonate-extra-a.b%2fc': ['1', '2'],
        'impersonate-extra-%61.b%2fc': ['3'],
        'impersonate-extra-a%zz': [''],
        'impersonate-extra-__proto__': ['4'],
      },
      {
        name: 'bob',
        groups: [],
        extra: Object.fromEntries([
          ['a.b/c', ['1', '2', '3']],
          ['a%zz', ['']],
          ['__proto__', ['4']],
        ]),
      },
    ],
  ])('reads %s', (_, headers, wanted) => {
    expect(takeWantedUser(incomingWith(headers))).toStrictEqual(wanted);
  });

  // Recorded from kube-apiserver 1.36.3.
  test.each<[Lists, string]>([
    [{ 'impersonate-uid': ['7'] }, 'UID:"7", Groups:[]string(nil), Extra:map[string][]string(nil)'],
    [
      { 'impersonate-group': ['', 'o"ps'] },
      'UID:"", Groups:[]string{"", "o\\"ps"}, Extra:map[string][]string(nil)',
    ],
    [
      { 'impersonate-user': [''], 'impersonate-extra-y': ['1', '2'], 'impersonate-extra-x': [''] },
      'UID:"", Groups:[]string(nil), Extra:map[string][]string{"x":[]string{""}, "y":[]string{"1", "2"}}',
    ],
  ])('rejects %j without a user name', (headers, user) => {
    expect(() => takeWantedUser(incomingWith(headers))).toThrow(
      expect.objectContaining({
        status: expect.objectContaining({ code: 400, reason: 'BadRequest' }),
        message: `requested &user.DefaultInfo{Name:"", ${user}} without impersonating a user name`,
      }),
    );
  });

  test('removes all impersonation headers', () => {
    const incoming = incomingWith({
      accept: ['*/*'],
      'impersonate-user': ['bob'],
      'impersonate-group': ['devs'],
      'impersonate-uid': ['7'],
      'impersonate-extra-a': ['1'],
    });
    takeWantedUser(incoming);
    expect(incoming).toEqual({ headers: { accept: '*/*' }, headersDistinct: { accept: ['*/*'] } });
  });
});
