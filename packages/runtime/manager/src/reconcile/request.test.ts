import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { viewOf } from '../testing/fake-cache.test-support.ts';
import {
  keyIdentity,
  nameIdentity,
  objectIdentity,
  requestFor,
  type RequestIdentity,
} from './request.ts';

const { ConfigMap, Namespace } = builtin;

const notRequests = [null, undefined, 'a', 1, {}, [], ['a'], Promise.resolve({ name: 'a' })];
const invalid = expect.objectContaining({ code: 'INVALID_OPTION' });

describe('the identity of a request', () => {
  test.each<[string, RequestIdentity<object>]>([
    ['with for', objectIdentity(ConfigMap)],
    ['without for', nameIdentity],
  ])('is the object key of a plain name (%s)', (_, identify) => {
    expect(identify({ namespace: 'n', name: 'a' }).key).toBe('n/a');
    expect(identify({ name: 'a' }).key).toBe('a');
    expect(identify({ namespace: undefined, name: 'a' })).toEqual({
      key: 'a',
      request: { name: 'a' },
    });
    expect(identify({ namespace: '', name: 'a' })).toEqual({ key: 'a', request: { name: 'a' } });
    for (const wrong of [...notRequests, { name: '' }, { namespace: 1, name: 'a' }]) {
      expect(() => identify(wrong as never)).toThrow(invalid);
    }
  });

  test('consists of namespace and name with for, and only of the name for a cluster-scoped kind', () => {
    const metadata = { namespace: 'n', name: 'a', uid: 'u', labels: { b: 'c' } };
    const exact = { key: 'n/a', request: { namespace: 'n', name: 'a' } };
    expect(objectIdentity(ConfigMap)(metadata)).toEqual(exact);
    expect(objectIdentity(Namespace)(metadata)).toEqual({ key: 'a', request: { name: 'a' } });
  });

  test.each<[string, RequestIdentity<object>]>([
    ['with for', objectIdentity(ConfigMap)],
    ['without for', nameIdentity],
  ])('is that of a frozen copy of the request (%s)', (_, identify) => {
    const given = { namespace: 'n', name: 'a' };
    const { request } = identify(given);
    given.name = 'b';
    expect(request).toEqual({ namespace: 'n', name: 'a' });
    expect(Object.isFrozen(request)).toBe(true);
  });

  test('rejects further members without for and without keyOf', () => {
    expect(() => nameIdentity({ name: 'a', kind: 'Secret' })).toThrow(/declare `keyOf`.*kind/);
    expect(nameIdentity({ name: 'a', kind: undefined }).key).toBe('a');
  });

  test('is the result of keyOf', () => {
    const identify = keyIdentity(({ kind, name }: { kind: string; name: string }) =>
      name === 'none' ? '' : `${kind}/${name}`,
    );
    const request = { kind: 'Secret', name: 'a', uid: 'u' };
    expect(identify(request)).toEqual({ key: 'Secret/a', request });
    expect(() => identify({ kind: 'Secret', name: 'none' })).toThrow(invalid);
    expect(() => identify(null as never)).toThrow(invalid);
  });
});

describe('a name or namespace that no object can have', () => {
  const wrong = ['a/b', '..', 'a%2Fb', 'a\nb', 'x'.repeat(254)];

  test.each(wrong)('is refused with the option: %j', (text) => {
    const refused = (option: string): unknown =>
      expect.objectContaining({
        code: 'INVALID_OPTION',
        facts: expect.objectContaining({ option }),
      });
    for (const identify of [nameIdentity, objectIdentity(ConfigMap)]) {
      expect(() => identify({ name: text })).toThrow(refused('request.name'));
      expect(() => identify({ namespace: text, name: 'a' })).toThrow(refused('request.namespace'));
    }
  });

  test('is a valid member of a request with a key of its own', () => {
    const request = { name: 'a/b' };
    expect(keyIdentity<typeof request>(({ name }) => name)(request).key).toBe('a/b');
  });

  test('does not include names of RBAC objects', () => {
    const name = 'system:controller:Node Reader';
    expect(objectIdentity(Namespace)({ name }).key).toBe(name);
  });
});

describe('requestFor', () => {
  const metadata = { namespace: 'n', name: 'a', uid: 'u', labels: { b: 'c' } };

  test('returns the namespace and name of an object and of its view', () => {
    expect(requestFor({ metadata })).toEqual({ namespace: 'n', name: 'a' });
    expect(requestFor(viewOf({ metadata }))).toEqual({ namespace: 'n', name: 'a' });
  });

  test('returns only the name of a cluster-scoped object', () => {
    expect(requestFor({ metadata: { name: 'a' } })).toStrictEqual({ name: 'a' });
    expect(requestFor({ metadata: { name: 'a', namespace: undefined } })).toStrictEqual({
      name: 'a',
    });
  });

  test.each([undefined, {}, { metadata: {} }, { metadata: { name: '' } }])(
    'throws for an object without a name: %j',
    (object) => {
      expect(() => requestFor(object as never)).toThrow(invalid);
    },
  );
});
