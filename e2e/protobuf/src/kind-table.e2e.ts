import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { builtin } from '@keelson/apimachinery';
import { loadProtobufFormats, ProtobufFormats } from '@keelson/wire';
import { kubernetesVersion } from '@keelson/e2e-control-plane';
import { differenceOf } from './difference.ts';
import { checkedObjects, randomObjects, testObjects, type GoObject } from './go-object.ts';
import { outputOf } from './go-program.ts';
import { fixturesPath, kindTableFile, kindTablePath } from './kind-table-file.ts';

const { KEELSON_PROTOBUF: program = '' } = process.env;

/** Random objects of each kind. A failure prints the seed. */
const OBJECTS_OF_EACH_KIND = 40;

async function differences(
  formats: ProtobufFormats,
  objects: AsyncIterable<GoObject>,
): Promise<{ readonly compared: number; readonly found: readonly string[] }> {
  const found: string[] = [];
  let compared = 0;
  for await (const object of objects) {
    compared++;
    const difference = differenceOf(formats, object);
    if (difference !== undefined) found.push(difference);
  }
  return { compared, found };
}

describe('the table of the built-in kinds', () => {
  test('is what the generator writes from the pinned modules', async () => {
    expect(await readFile(kindTablePath, 'utf8')).toBe(
      kindTableFile(await outputOf(program, 'table')),
    );
    expect(await readFile(fixturesPath, 'utf8')).toBe(await outputOf(program, 'fixtures'));
  });

  test('names the version of Kubernetes', async () => {
    const { kubernetesVersion: minor } = await loadProtobufFormats();
    expect(await kubernetesVersion()).toMatch(new RegExp(`^v${minor}\\.\\d+$`));
  });

  test('has every built-in kind except those of other modules', async () => {
    const formats = await loadProtobufFormats();
    const missing = Object.values(builtin).filter(({ group, version, kind }) => {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      return formats.find(apiVersion, kind) === undefined;
    });
    expect(missing.map(({ kind }) => kind)).toEqual(['CustomResourceDefinition']);
  });

  test('decodes every test object of k8s.io/api to its JSON', async () => {
    const { compared, found } = await differences(await loadProtobufFormats(), testObjects());
    expect(found).toEqual([]);
    expect(compared).toBeGreaterThan(180);
  });

  test('decodes random objects of every kind to the JSON of Go', async () => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const formats = await loadProtobufFormats();
    const objects = randomObjects(program, OBJECTS_OF_EACH_KIND, seed);
    const { compared, found } = await differences(formats, objects);
    expect({ seed, found }).toEqual({ seed, found: [] });
    expect(compared).toBeGreaterThan(180 * OBJECTS_OF_EACH_KIND);
  });

  test.each([
    ['another number of a field', 'data{s@2', 'data{s@5', /unknown/],
    ['another order of members', 'reason.s message.s', 'message.s reason.s', /instead of/],
    ['another rule of omission', 'nodeName.s', 'nodeName.S', /instead of/],
  ])('with %s is found wrong', async (_, right, wrong, sentence) => {
    const text = await outputOf(program, 'table');
    expect(text).toContain(right);
    const formats = new ProtobufFormats(text.replaceAll(right, wrong));
    const { found } = await differences(formats, checkedObjects(program));
    expect(found.join('\n')).toMatch(sentence);
  });
});
