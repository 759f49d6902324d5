import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createApiServer } from '@keelson/apiserver';
import { createManager } from '@keelson/manager';
import { readSource } from '../sources/read-source.ts';
import { definitionsIn } from '../sources/source-file.ts';
import { generateTypes } from '../code/generate-types.ts';

const definition = fileURLToPath(new URL('widgets.test-data.yaml', import.meta.url));
const generated = new URL('widgets.test-support.ts', import.meta.url);

test('the module of the guide is generated from its definition', async () => {
  const [module] = generateTypes(definitionsIn(await readSource(definition, {})));
  expect(module).toEqual({
    path: 'shop.example/v1/widgets.ts',
    code: readFileSync(generated, 'utf8'),
  });
});

test('the controller of the guide reads the types', async () => {
  await using server = await createApiServer();
  server.seed(definitionsIn(await readSource(definition, {})) as Parameters<typeof server.seed>[0]);
  await server.idle(); // the definition is established
  const widget: Widget = {
    apiVersion: 'shop.example/v1',
    kind: 'Widget',
    metadata: { namespace: 'default', name: 'a' },
    spec: { size: 3, parts: [{ name: 'lid', weight: '20%' }] },
  };
  server.seed([widget]);
  const manager = createManager({ cluster: server.cluster, stopSignals: [] });
  const printed = Promise.withResolvers<string>();
  addWidgetController(manager, printed.resolve);
  const running = manager.start();
  expect(await printed.promise).toBe('a of 3 cm: lid');
  await manager.stop();
  await running;
});

// #region controller
import type { Manager } from '@keelson/manager';
import { Widget } from './widgets.test-support.ts';

function addWidgetController(manager: Manager, print: (line: string) => void): void {
  manager.addController({
    name: 'widgets',
    for: Widget,
    async reconcile({ namespace, name }, { cache }) {
      const widget = cache.get(Widget, { namespace, name });
      const parts = widget?.spec.parts ?? []; // { name: string; weight?: number | string }[]
      if (widget)
        print(`${name} of ${widget.spec.size} cm: ${parts.map((part) => part.name).join()}`);
    },
  });
}
// #endregion
