import { describe, expect, test } from '@jest/globals';
import { assert, constantFrom, property, record } from 'fast-check';
import { thing, Thing } from '../testing/scripted-source.test-support.ts';
import { selects } from '../testing/selecting-source.test-support.ts';
import { Coverage } from './coverage.ts';
import { normalQuery } from './normal-query.ts';
import type { WatchQuery } from './watch-query.ts';

/** The share of the random runs: a tenth in `npm test`, all in `.ci/run`. */
const multiple = Number(process.env['KEELSON_RUNS'] ?? 1);

type Query = Omit<WatchQuery<Thing>, 'resource'>;

const metadata = 'metadata' as const;
const same = { name: 'same', apply: (object: Thing): Thing => object };

function coverageOf({ transform, ...query }: Query): Coverage {
  return new Coverage(normalQuery({ resource: Thing, ...query }), transform?.name);
}

function obstacle(watch: Query, query: Query): string | undefined {
  return coverageOf(watch).gapTo(coverageOf(query));
}

describe('coverage of a query by a watch', () => {
  test.each<[watch: Query, query: Query]>([
    [{}, {}],
    [{}, { namespace: 'n1' }],
    [{}, { labelSelector: 'app=x', fieldSelector: 'metadata.name=a', projection: metadata }],
    [{ namespace: 'n1' }, { fieldSelector: 'metadata.namespace=n1' }],
    [{ fieldSelector: 'metadata.namespace=n1' }, { namespace: 'n1' }],
    [{ labelSelector: 'app' }, { labelSelector: 'app=x' }],
    [{ labelSelector: 'app in (x,y)' }, { labelSelector: 'app=x,tier!=web' }],
    [{ labelSelector: 'app!=z' }, { labelSelector: 'app in (x,y)' }],
    [{ labelSelector: '!app' }, { labelSelector: '!app,tier' }],
    [{ labelSelector: 'size>3' }, { labelSelector: 'size>5' }],
    [{ fieldSelector: 'metadata.name!=b' }, { fieldSelector: 'metadata.name=a' }],
    [{ fieldSelector: 'spec.node=n1' }, { fieldSelector: 'spec.node=n1', labelSelector: 'app=x' }],
    [{ transform: same }, { transform: same, namespace: 'n1' }],
    [
      { transform: same, labelSelector: 'app=x' },
      { transform: same, labelSelector: 'app=x', fieldSelector: 'metadata.name=a' },
    ],
  ])('%j covers %j', (watch, query) => {
    expect(obstacle(watch, query)).toBeUndefined();
  });

  test.each<[watch: Query, query: Query, obstacle: string]>([
    [{ namespace: 'n1' }, {}, 'selectors'],
    [{ namespace: 'n1' }, { namespace: 'n2' }, 'selectors'],
    [{ labelSelector: 'app=x' }, { labelSelector: 'app' }, 'selectors'],
    [{ labelSelector: 'app=x' }, { labelSelector: 'app in (x,y)' }, 'selectors'],
    [{ labelSelector: 'size>5' }, { labelSelector: 'size>3' }, 'selectors'],
    [{ fieldSelector: 'metadata.name=a' }, { fieldSelector: 'metadata.name!=b' }, 'selectors'],
    // Only the server evaluates other fields.
    [{}, { fieldSelector: 'spec.node=n1' }, 'selectors'],
    [{ fieldSelector: 'spec.node!=n2' }, { fieldSelector: 'spec.node=n1' }, 'selectors'],
    [{ projection: metadata }, {}, 'projection'],
    [{}, { transform: same }, 'transform'],
    [{ transform: same }, {}, 'transform'],
    // A transform may change labels and metadata.
    [{ transform: same }, { transform: same, labelSelector: 'app=x' }, 'selectors'],
    [{ transform: same }, { transform: same, projection: metadata }, 'projection'],
  ])('%j does not cover %j: %s', (watch, query, expected) => {
    expect(obstacle(watch, query)).toBe(expected);
  });

  test('a watch that covers a query has every object of the query', () => {
    const anyQuery = record({
      namespace: constantFrom('', 'n1', 'n2'),
      labelSelector: constantFrom('', 'app', '!app', 'app=x', 'app!=x', 'app in (x,y)', 'app>1'),
      fieldSelector: constantFrom('', 'metadata.name=a', 'metadata.name!=a', 'spec.node=n1'),
    });
    let covered = 0;
    assert(
      property(anyQuery, anyQuery, (watch, query) => {
        if (obstacle(watch, query) !== undefined) return;
        covered++;
        const [wide, narrow] = [watch, query].map((one) =>
          normalQuery({ resource: Thing, ...one }),
        );
        for (const object of objects) {
          if (wide !== undefined && narrow !== undefined && selects(narrow, object)) {
            expect(selects(wide, object)).toBe(true);
          }
        }
      }),
      { numRuns: Math.ceil(5_000 * multiple) },
    );
    // A sample of the runs may have few.
    expect(covered).toBeGreaterThan(multiple < 1 ? 0 : 200 * multiple);
  });
});

const objects: readonly Thing[] = ['n1', 'n2'].flatMap((namespace) =>
  ['a', 'b'].flatMap((name) =>
    [{}, { app: 'x' }, { app: 'y' }, { app: '2' }].flatMap((labels) =>
      ['n1', 'n2'].map((node) => ({ ...thing(name, { namespace, labels }), spec: { node } })),
    ),
  ),
);
