import { describe, expect, test } from '@jest/globals';
import { builtin, type KubernetesObject } from '@keelson/apimachinery';
import { defineIndex, type NamedTransform } from '@keelson/informer';
import { NamedFunctions } from './source-functions.ts';
import type { SourceOptions } from './source-options.ts';

const resource = builtin.ConfigMap;
const byOwner = defineIndex(resource, 'owner', () => []);
const byOther = defineIndex(resource, 'owner', () => ['other']);
const slim = { name: 'slim', apply: (object: KubernetesObject) => object };
const other = { name: 'slim', apply: (object: KubernetesObject) => ({ ...object }) };

function options(functions: object, cluster?: string): SourceOptions {
  const of = cluster === undefined ? {} : { cluster };
  return { resource, ...of, ...functions };
}

describe('the named functions of the sources of a controller', () => {
  test.each<[string, object, object]>([
    ['INDEXER_CONFLICT', { indexers: [byOwner] }, { indexers: [byOther] }],
    ['TRANSFORM_CONFLICT', { transform: slim as unknown as NamedTransform }, { transform: other }],
  ])('refuse another function of a name: %s', (code, known, given) => {
    const functions = new NamedFunctions();
    const source = { options: options(known) };
    functions.add(source);
    functions.check(options(known));
    functions.check(options(given, 'east'));
    expect(() => functions.check(options(given))).toThrow(expect.objectContaining({ code }));
    functions.delete(source);
    functions.check(options(given));
  });

  test('refuse two functions of a name in one source', () => {
    const given = options({ indexers: [byOwner, byOther] });
    expect(() => new NamedFunctions().check(given)).toThrow(
      expect.objectContaining({ code: 'INDEXER_CONFLICT' }),
    );
  });

  test('read no source again when another one is added', () => {
    const functions = new NamedFunctions();
    let reads = 0;
    for (let n = 0; n < 1_000; n++) {
      functions.check(options({ indexers: [byOwner], transform: slim }));
      functions.add({
        get options() {
          reads++;
          return options({ indexers: [byOwner], transform: slim });
        },
      });
    }
    expect(reads).toBe(1_000);
  });
});
