import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import {
  addFinalizer,
  builtin,
  checkOptions,
  defineResource,
  isGone,
  labelRequirementsOf,
  normalFieldSelector,
  normalLabelSelector,
  parseFieldSelector,
  parseLabelSelector,
  removeFinalizer,
  setCondition,
  setControllerReference,
  StatusError,
  type Condition,
  type ObjectOf,
} from './index.ts';

describe('@keelson/apimachinery', () => {
  test('The package does no I/O and imports nothing at run time.', () => {
    const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !/\.test(-support)?\.ts$/.test(name),
    );
    const imports = sources.flatMap((name) => importsOf(name));
    expect(imports.length).toBeGreaterThan(sources.length);
    expect(
      imports.filter(
        (line) => !/^import type |(?:from |^import\()'(?:\.{1,2}\/)+[-a-z/]+\.ts'/.test(line),
      ),
    ).toEqual([]);
  });

  test('No function changes its arguments.', () => {
    const reference = { apiVersion: 'v1', kind: 'Secret', name: 'x', uid: 'u2' };
    const object = frozen({
      metadata: { name: 'web', finalizers: ['a/b'], ownerReferences: [reference] },
    });
    const owner = frozen({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', uid: 'u1' } });
    const conditions = frozen<Condition[]>([
      { type: 'Ready', status: 'False', reason: 'A', message: '', lastTransitionTime: 'then' },
    ]);
    addFinalizer(object, 'c/d');
    removeFinalizer(object, 'a/b');
    setControllerReference(object, owner);
    setCondition(conditions, frozen({ type: 'Ready', status: 'True', reason: 'B', message: '' }));
    labelRequirementsOf(
      frozen({ matchExpressions: [{ key: 'a', operator: 'In', values: ['y', 'x', 'x'] }] }),
    );
    expect(object.metadata.ownerReferences).toEqual([reference]);
  });

  test('Every kind of the built-in API groups has a token, typed as its JSON on the wire.', () => {
    const lease: ObjectOf<typeof builtin.Lease> = {
      metadata: { creationTimestamp: '2026-11-21T13:00:00Z' },
      spec: { renewTime: '2026-11-21T13:00:00.000000Z' },
    };
    expect(JSON.parse(JSON.stringify(lease))).toEqual(lease);
    expect(new Set(Object.values(builtin).map(({ group }) => group)).size).toBe(15);
  });

  test('Equal selectors have equal normal forms, whatever their order and spelling.', () => {
    expect(normalLabelSelector('b in (2), a==1')).toBe(normalLabelSelector('a=1,b=2,a=1'));
    expect(normalLabelSelector({ matchLabels: { b: '2', a: '1' } })).toBe('a=1,b=2');
    expect(normalFieldSelector('b=2,a==1')).toBe(normalFieldSelector('a=1,b=2'));
  });

  test('An invalid selector is refused with its text and the position of the error.', () => {
    expect(() => parseLabelSelector('a=1,b in x')).toThrow(
      expect.objectContaining({
        code: 'INVALID_LABEL_SELECTOR',
        facts: expect.objectContaining({ selector: 'a=1,b in x', position: 9 }),
      }),
    );
    expect(() => parseFieldSelector('a=1,b')).toThrow(
      expect.objectContaining({
        code: 'INVALID_FIELD_SELECTOR',
        facts: expect.objectContaining({ selector: 'a=1,b', position: 5 }),
      }),
    );
  });

  test('An unknown or invalid option is refused by its name.', () => {
    expect(() => checkOptions({ wiat: 1 }, ['wait'], 'createQueue')).toThrow(
      'option=createQueue.wiat',
    );
    const token = { group: '', version: 'v1', kind: 'Pod', plural: '' };
    expect(() => defineResource(token)).toThrow('option=defineResource.plural');
  });

  test('A guard recognises an API error in every encoding, also one from another copy of the package or from client-node.', () => {
    const foreign = Object.assign(new Error('x'), { code: 'API_STATUS', status: { code: 410 } });
    const exception = Object.assign(new Error('HTTP-Code: 410\nMessage: Gone'), {
      code: 410,
      headers: {},
      body: '{"kind":"Status","reason":"Expired"}',
    });
    const known = [new StatusError({ reason: 'Gone' }), foreign, exception];
    expect(known.map((error) => isGone(error))).toEqual([true, true, true]);
    expect(isGone(new StatusError({ code: 409, reason: 'Conflict' }))).toBe(false);
  });
});

/** Returns the import and re-export statements of a source file. */
function importsOf(name: string): string[] {
  const text = readFileSync(`${import.meta.dirname}/${name}`, 'utf8');
  return [
    ...text.matchAll(/^(?:import|export)\s[^;'"]*?from\s'[^']*'|^import\s'[^']*'|import\(.*/gm),
  ].map(([statement]) => statement);
}

/** Freezes a value deeply, so that a function that modifies it throws. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) frozen(member);
    Object.freeze(value);
  }
  return value;
}
