import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { InstalledProject } from './installed-project.ts';
import { libraryNames } from './library-names.ts';

/** The oldest version of Node.js that the packages accept, as npm has its program. */
const OLDEST_NODE = `oldest-node@npm:node-${process.platform}-${process.arch}@22.19.0`;

/** A CommonJS operator and its API server. */
const program = `
const { createApiServer } = require('@keelson/apiserver');
const { builtin, createManager } = require('@keelson/manager');

for (const name of JSON.parse(process.argv[2])) {
  if (Object.keys(require(name)).length === 0) throw new Error(name + ' exports nothing');
}
void (async () => {
  const server = await createApiServer({ tls: true });
  const manager = createManager({ cluster: server.cluster, stopSignals: [] });
  const seen = Promise.withResolvers();
  manager.addController({ name: 'seen', for: builtin.ConfigMap, reconcile: ({ name }) => seen.resolve(name) });
  const running = manager.start();
  await manager.started;
  await manager.client.create(builtin.ConfigMap, { metadata: { namespace: 'default', name: 'a' } });
  await seen.promise;
  await manager.stop();
  await running;
  await server.close();
  console.log('reconciled');
})();
`;

interface Entry {
  readonly types?: string;
  readonly default?: string;
}

/** Its build writes the page into a module. The other packages are bundles of their sources. */
const PAGE_PACKAGE = '@keelson/inspector';

describe('the packages, as installed', () => {
  let project: InstalledProject;
  let names: string[];

  beforeAll(async () => {
    names = await libraryNames();
    project = await InstalledProject.create();
    await project.run('npm', 'install', ...names, OLDEST_NODE);
  });

  afterAll(async () => {
    await project?.[Symbol.asyncDispose](); // undefined if packing failed
  });

  const textOf = (name: string, ...file: string[]): Promise<string> =>
    readFile(join(project.folder, 'node_modules', name, ...file), 'utf8');

  test.each([
    ['the Node.js of this repository', process.execPath],
    ['the oldest Node.js', 'node_modules/oldest-node/bin/node'],
  ])('can be loaded with require, and run, by %s', async (_name, node) => {
    await project.write('program.cjs', program);
    const output = await project.run(node, 'program.cjs', JSON.stringify(names));
    expect(output).toContain('reconciled\n');
  });

  test('have for each entry point one bundle with its source map, and declarations', async () => {
    for (const name of names) {
      const { exports } = JSON.parse(await textOf(name, 'package.json')) as {
        exports: Record<string, string | Entry>;
      };
      for (const entry of Object.values(exports)) {
        if (typeof entry === 'string') continue;
        const bundle = entry.default ?? '';
        const code = await textOf(name, bundle);
        expect(await textOf(name, entry.types ?? '')).toContain('export ');
        if (name === PAGE_PACKAGE) continue;
        // One that has only types is otherwise empty.
        expect(code).toMatch(/(?:^|\n)\/\/# sourceMappingURL=[\w.-]+\.js\.map\n$/);
        // A relative import can only be of a chunk that entry points share.
        expect(code).not.toMatch(/from "\.[^"]*(?<!-[A-Z\d]{8})\.js"/);
        const map = JSON.parse(await textOf(name, `${bundle}.map`)) as { sources: string[] };
        for (const source of map.sources) await textOf(name, bundle, '..', source);
      }
    }
  });

  test('have the licence, and a changelog whose links lead to the repository', async () => {
    for (const name of names) {
      expect(await textOf(name, 'LICENSE')).toContain('Apache License');
      const changelog = await textOf(name, 'CHANGELOG.md');
      const links = [...changelog.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => link);
      expect(links.filter((link) => !/^(?:https:|#)/.test(String(link)))).toEqual([]);
      expect(changelog).toMatch(/github\.com\/keelson\/keelson\/blob\/v\d[^)]*\/docs\//);
    }
  });

  test('have stacks that name their sources', async () => {
    await project.write('wrong.mjs', wrong);
    const stack = await project.run(process.execPath, '--enable-source-maps', 'wrong.mjs');
    expect(stack).toMatch(/@keelson\/manager\/src\/manager\/manager-options\.ts:\d+:\d+/);
  });
});

const wrong = `
import { createManager } from '@keelson/manager';

try {
  createManager({ wrong: true });
} catch (error) {
  console.log(error.stack);
}
`;
