import { expect, test } from '@jest/globals';
import { ScriptedSource, Thing } from './testing/scripted-source.test-support.ts';

test('the code of the README does what it says', async () => {
  const source = new ScriptedSource();
  source.set('a');
  expect(await follow(() => source)).toEqual(['added default/a at 2']);
});

// #region readme
import { createInformerCache, type InformerCacheOptions } from './index.ts';

async function follow(listerWatcher: InformerCacheOptions['listerWatcher']): Promise<string[]> {
  await using cache = createInformerCache({ listerWatcher });

  using things = cache.acquire({ resource: Thing, namespace: 'default' }, { owner: 'example' });
  const lines: string[] = [];
  const registration = things.addEventHandler(({ type, key, object }) => {
    lines.push(`${type} ${key} at ${object.resourceVersion}`);
  });

  await registration.synced; // the handler has received every existing object
  cache.get(Thing, { namespace: 'default', name: 'a' }); // read only; undefined if it is not there
  things.store.views({ labelSelector: 'app=web' }); // looks at the metadata, parses no body
  return lines;
}
// #endregion
