import { describe, expect, test } from '@jest/globals';
import type { DeepReadonly } from './deep-readonly.ts';
import type { KubernetesObject } from './kubernetes-object.ts';
import { mutableCopy } from './mutable-copy.ts';

interface WebApp extends KubernetesObject {
  spec: { ports: number[]; host: string | null };
}

describe('mutableCopy', () => {
  test('returns an equal object that shares nothing with a frozen original', () => {
    const ports = Object.freeze([80]);
    const spec = Object.freeze({ ports, host: null });
    const app: DeepReadonly<WebApp> = Object.freeze({ kind: 'WebApp', spec });
    const copy: WebApp = mutableCopy(app);
    expect(copy).toStrictEqual(app);
    copy.spec.ports.push(443);
    copy.spec.host = 'a';
    expect(app).toEqual({ kind: 'WebApp', spec: { ports: [80], host: null } });
  });

  test('keeps a member named __proto__ and does not change the prototype', () => {
    const original = JSON.parse('{"spec":{"__proto__":{"polluted":true}}}') as { spec: object };
    const copy = mutableCopy(original);
    expect(JSON.stringify(copy)).toBe(JSON.stringify(original));
    expect(Object.getPrototypeOf(copy.spec)).toBe(Object.prototype);
    expect(copy.spec).not.toHaveProperty('polluted');
    expect(Reflect.get(copy.spec, '__proto__')).not.toBe(Reflect.get(original.spec, '__proto__'));
  });

  test('copies an array, an object without a prototype, and values that JSON lacks', () => {
    const bare = Object.assign(Object.create(null) as object, { list: [{ at: new Date(0) }] });
    const copy = mutableCopy([bare, undefined]);
    expect(copy).toEqual([{ list: [{ at: new Date(0) }] }, undefined]);
    expect(copy[0]).not.toBe(bare);
  });
});
